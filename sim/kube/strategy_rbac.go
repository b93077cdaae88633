package kube

import (
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
)

// rbacStrategy is for roles: their names may hold colons.
func rbacStrategy(s *strategy) {
	s.validName = func(name string, _ bool) []string {
		switch {
		case name == "." || name == "..":
			return []string{"may not be '" + name + "'"}
		case strings.ContainsAny(name, "/%"):
			return []string{"may not contain '/' or '%'"}
		}
		return nil
	}
}

func roleBindingStrategy(s *strategy) {
	rbacStrategy(s)
	parts := func(obj client.Object) (*rbacv1.RoleRef, []rbacv1.Subject) {
		if b, ok := obj.(*rbacv1.ClusterRoleBinding); ok {
			return &b.RoleRef, b.Subjects
		}
		b := obj.(*rbacv1.RoleBinding)
		return &b.RoleRef, b.Subjects
	}
	s.prepare = func(obj, _ client.Object) error {
		ref, subjects := parts(obj)
		if ref.APIGroup == "" {
			ref.APIGroup = rbacv1.GroupName
		}
		for i := range subjects {
			if subjects[i].APIGroup == "" && subjects[i].Kind != rbacv1.ServiceAccountKind {
				subjects[i].APIGroup = rbacv1.GroupName
			}
		}
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		ref, subjects := parts(obj)
		var errs field.ErrorList
		if ref.Name == "" {
			errs = append(errs, field.Required(field.NewPath("roleRef", "name"), ""))
		}
		for i, subject := range subjects {
			at := field.NewPath("subjects").Index(i)
			if subject.Name == "" {
				errs = append(errs, field.Required(at.Child("name"), ""))
			}
			if subject.Kind == rbacv1.ServiceAccountKind && subject.Namespace == "" {
				errs = append(errs, field.Required(at.Child("namespace"), ""))
			}
		}
		if old != nil {
			if was, _ := parts(old); !equal.Semantic(ref, was) {
				errs = append(errs, field.Invalid(field.NewPath("roleRef"), *ref, "cannot change roleRef"))
			}
		}
		return errs
	}
}
