package crush

import (
	"fmt"
	"strings"
)

// Text is the map as crushtool -d writes it. sizes says whether rules show
// min_size and max_size (until pacific).
func (m *Map) Text(sizes bool) string {
	var b strings.Builder
	b.WriteString("# begin crush map\n")
	t, legacy := m.Tunables, profiles[len(profiles)-1].t
	for _, x := range []struct {
		name        string
		have, usual int
	}{
		{"choose_local_tries", t.ChooseLocalTries, legacy.ChooseLocalTries},
		{"choose_local_fallback_tries", t.ChooseLocalFallbackTries, legacy.ChooseLocalFallbackTries},
		{"choose_total_tries", t.ChooseTotalTries, legacy.ChooseTotalTries},
		{"chooseleaf_descend_once", t.ChooseleafDescendOnce, 0},
		{"chooseleaf_vary_r", t.ChooseleafVaryR, 0},
		{"chooseleaf_stable", t.ChooseleafStable, 0},
		{"straw_calc_version", t.StrawCalcVersion, 0},
		{"allowed_bucket_algs", t.AllowedBucketAlgs, legacyAlgs},
	} {
		if x.have != x.usual {
			fmt.Fprintf(&b, "tunable %s %d\n", x.name, x.have)
		}
	}
	b.WriteString("\n# devices\n")
	for _, d := range m.Devices {
		fmt.Fprintf(&b, "device %d %s", d.ID, d.Name)
		if d.Class != "" {
			fmt.Fprintf(&b, " class %s", d.Class)
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n# types\n")
	for _, t := range m.Types {
		fmt.Fprintf(&b, "type %d %s\n", t.ID, t.Name)
	}
	b.WriteString("\n# buckets\n")
	done := map[int]bool{}
	for _, bucket := range m.Buckets {
		m.bucketText(&b, bucket, done)
	}
	b.WriteString("\n# rules\n")
	for _, r := range m.Rules {
		m.ruleText(&b, r, sizes)
	}
	b.WriteString("\n# end crush map\n")
	return b.String()
}

// bucketText writes a bucket behind those that it holds.
func (m *Map) bucketText(b *strings.Builder, bucket *Bucket, done map[int]bool) {
	if done[bucket.ID] || bucket.Shadow() {
		return
	}
	done[bucket.ID] = true
	for _, i := range bucket.Items {
		if child := m.Bucket(i.ID); child != nil {
			m.bucketText(b, child, done)
		}
	}
	fmt.Fprintf(b, "%s %s {\n\tid %d\t\t# do not change unnecessarily\n", m.TypeName(bucket.Type), bucket.Name, bucket.ID)
	for _, class := range m.Classes {
		if s := m.shadow(bucket.ID, class); s != nil {
			fmt.Fprintf(b, "\tid %d class %s\t\t# do not change unnecessarily\n", s.ID, class)
		}
	}
	fmt.Fprintf(b, "\t# weight %.3f\n\talg %s", bucket.Weight().Float(), bucket.Alg)
	switch bucket.Alg {
	case "uniform":
		fmt.Fprintf(b, "\t# do not change bucket size (%d) unnecessarily", len(bucket.Items))
	case "list":
		b.WriteString("\t# add new items at the end; do not change order unnecessarily")
	case "tree":
		b.WriteString("\t# do not change pos for existing items unnecessarily")
	}
	b.WriteString("\n\thash 0\t# rjenkins1\n")
	for pos, i := range bucket.Items {
		fmt.Fprintf(b, "\titem %s weight %.3f", m.itemText(i.ID), i.Weight.Float())
		if bucket.Alg == "uniform" || bucket.Alg == "tree" {
			fmt.Fprintf(b, " pos %d", pos)
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
}

func (m *Map) itemText(id int) string {
	if name := m.Name(id); name != "" {
		return name
	}
	if id < 0 {
		return fmt.Sprintf("bucket%d", -1-id)
	}
	return fmt.Sprintf("device%d", id)
}

// KindName is the text for a rule's type.
func KindName(kind int) string {
	if kind == Erasure {
		return "erasure"
	}
	return "replicated"
}

func (m *Map) ruleText(b *strings.Builder, r *Rule, sizes bool) {
	fmt.Fprintf(b, "rule %s {\n\tid %d\n\ttype %s\n", r.Name, r.ID, KindName(r.Type))
	if sizes {
		fmt.Fprintf(b, "\tmin_size %d\n\tmax_size %d\n", r.MinSize, r.MaxSize)
	}
	for _, s := range r.Steps {
		switch mode, isChoose := strings.CutPrefix(s.Op, "choose_"); {
		case s.Op == "take":
			name, class, _ := strings.Cut(m.itemText(s.Item), "~")
			fmt.Fprintf(b, "\tstep take %s", name)
			if class != "" {
				fmt.Fprintf(b, " class %s", class)
			}
			b.WriteByte('\n')
		case s.Op == "emit":
			b.WriteString("\tstep emit\n")
		case isChoose:
			fmt.Fprintf(b, "\tstep choose %s %d type %s\n", mode, s.Num, m.TypeName(s.Type))
		case strings.HasPrefix(s.Op, "chooseleaf_"):
			fmt.Fprintf(b, "\tstep chooseleaf %s %d type %s\n", strings.TrimPrefix(s.Op, "chooseleaf_"), s.Num, m.TypeName(s.Type))
		default:
			fmt.Fprintf(b, "\tstep %s %d\n", s.Op, s.Num)
		}
	}
	b.WriteString("}\n")
}
