package kube

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KubectlError is what made kubectl end with exit code 1. It reads as what kubectl
// prints, and wraps the errors behind it.
type KubectlError struct{ errs []error }

// Unwrap returns the errors, in the order in which they came up.
func (e *KubectlError) Unwrap() []error { return e.errs }

func (e *KubectlError) Error() string {
	lines := make([]string, len(e.errs))
	for i, err := range e.errs {
		lines[i] = printed(err)
	}
	return strings.Join(lines, "\n")
}

// printed is how kubectl prints an error.
func printed(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return "error: " + strings.TrimPrefix(err.Error(), "error: ")
	}
	s := status.Status()
	switch s.Reason {
	case metav1.StatusReasonInvalid:
		return printedInvalid(s)
	case metav1.StatusReasonUnauthorized:
		return fmt.Sprintf("error: You must be logged in to the server (%s)", s.Message)
	case "":
		return "Error from server: " + s.Message
	}
	return fmt.Sprintf("Error from server (%s): %s", s.Reason, s.Message)
}

// printedInvalid tells the causes, in one line or a list.
func printedInvalid(s metav1.Status) string {
	heading := "The request is invalid"
	if s.Details == nil {
		return heading
	}
	if s.Details.Kind != "" || s.Details.Name != "" {
		heading = fmt.Sprintf("The %s %q is invalid", s.Details.Kind, s.Details.Name)
	}
	var causes []string
	for _, c := range s.Details.Causes {
		if text := c.Field + ": " + c.Message; !slices.Contains(causes, text) {
			causes = append(causes, text)
		}
	}
	switch len(causes) {
	case 0:
		return heading
	case 1:
		return heading + ": " + causes[0]
	}
	return heading + ": \n* " + strings.Join(causes, "\n* ")
}

// sourced says in an error what kubectl was doing, and with which file.
func sourced(doing string, err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return fmt.Errorf("error when %s %q: %w", doing, stdin, err)
	}
	s := status.Status()
	s.Message = fmt.Sprintf("error when %s %q: %s", doing, stdin, s.Message)
	return &apierrors.StatusError{ErrStatus: s}
}
