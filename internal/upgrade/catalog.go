package upgrade

import (
	"cmp"
	"errors"
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// A Child is what the log of a subagent says of it, for the catalog of its parent.
type Child struct {
	ID          string
	CreatedAt   *jsvalue.Value
	Descriptors int            // subagent/descriptor events of its own
	Descriptor  *jsvalue.Value // the data of the first one, nil for none
}

// ReadChild reads what the log of a subagent says of it. parent is the session that it names
// as its parent, "" when the log is no subagent's. A log that cannot be read to the end is a
// subagent without a descriptor, as for the release. The error is a failure to read.
func ReadChild(log Log) (child Child, parent string, err error) {
	r, closer, err := log.Open()
	if err != nil {
		return Child{}, "", err
	}
	defer closer.Close()
	header, err := r.Header()
	if header == nil || err != nil {
		if _, refused := errors.AsType[*logformat.Refusal](err); refused {
			err = nil
		}
		return Child{}, "", err
	}
	if header.Origin != "subagent" || header.ParentSession == "" {
		return Child{}, "", nil
	}
	child = Child{ID: header.ID, CreatedAt: jsvalue.Int(header.CreatedAt)}
	if format := numberOf(header.Version); format <= Release015.Writes {
		v := &Verdict{From: format}
		result, refusal, err := v.run(Release015.Writes, log)
		if err != nil || refusal != nil || verify(result) != nil {
			return child, header.ParentSession, err
		}
		child.describe(result)
		return child, header.ParentSession, nil
	}
	return child, header.ParentSession, child.read(r, header.SeedLength)
}

// describe takes the descriptors of an upgraded log that were not inherited.
func (c *Child) describe(t *Transcript) {
	for _, e := range t.Events {
		if e.Type == logformat.TypeSubagentDescriptor && e.Seq >= t.Cut {
			c.note(e.Data)
		}
	}
}

func (c *Child) note(descriptor *jsvalue.Value) {
	if c.Descriptors++; c.Descriptors == 1 {
		c.Descriptor = descriptor
	}
}

// read takes the descriptors of a log of format 4.
func (c *Child) read(r *logformat.Reader, inherited int64) error {
	for record, err := range r.Records() {
		if _, refused := errors.AsType[*logformat.Refusal](err); refused {
			c.Descriptors, c.Descriptor = 0, nil
			return nil
		}
		if err != nil {
			return err
		}
		if e := record.Event; e != nil && e.Type == logformat.TypeSubagentDescriptor && e.Seq >= inherited {
			data, err := jsvalue.Parse(e.Data)
			if err != nil {
				return err
			}
			c.note(data)
		}
	}
	return nil
}

// fact returns the entry of the catalog that a child's descriptor gives, or nil where there
// is not exactly one that the release understands.
func (c Child) fact() *jsvalue.Value {
	d := c.Descriptor
	version, _ := d.Get("version").Count()
	if c.Descriptors != 1 || version < 1 || version > 3 {
		return nil
	}
	mode := d.Get("mode")
	if version == 1 {
		mode = jsvalue.String("continuable")
	}
	entry := jsvalue.Object(
		member("version", jsvalue.Int(0)), member("childId", jsvalue.String(c.ID)), member("childCreatedAt", c.CreatedAt),
		member("mode", mode), member("label", d.Get("label")),
	)
	if !d.Get("provider").IsString() || !mode.Is("continuable") && !mode.Is("one-shot") || catalogFault(entry) != "" {
		return nil
	}
	return entry
}

// catalogFault returns what is wrong with an entry of the catalog, "" for nothing.
func catalogFault(v *jsvalue.Value) string {
	version, ok := v.Get("version").Count()
	mode, label := v.Get("mode"), v.Get("label")
	switch {
	case !v.IsObject() || !ok || version > 2 || !v.Get("childId").IsString():
		return "it has no version from 0 to 2, or names no subagent"
	case !mode.IsString() || !slices.Contains([]string{"continuable", "one-shot", "external", "unknown"}, mode.Text()):
		return "its mode is not known"
	case (version == 2) != mode.Is("external") || version == 0 && mode.Is("unknown"):
		return "its mode is not one of its version"
	case mode.Is("continuable") && label == nil || label != nil && !label.IsString():
		return "its label is no string"
	case !isCount(v.Get("childCreatedAt")):
		return "the time of the subagent is no count"
	}
	return ""
}

// readCatalog reads the entries of the log's own catalog, by subagent.
func (s *step34) readCatalog() (map[string]*jsvalue.Value, *Refusal) {
	entries := make(map[string]*jsvalue.Value)
	for _, e := range s.catalog {
		if fault := catalogFault(e.Data); fault != "" {
			return nil, refuse(logformat.CodeSubagentCatalog, StageStep34, "an entry of the catalog of subagents is not well-formed: "+fault).found(e.Data).at(e.Origin)
		}
		id := e.Data.Get("childId").Text()
		if entries[id] != nil {
			return nil, refuse(logformat.CodeSubagentCatalog, StageStep34, "a subagent stands twice in the catalog").found(e.Data.Get("childId")).at(e.Origin)
		}
		entries[id] = e.Data
	}
	return entries, nil
}

// completeCatalog adds entries for the subagents that the catalog lacks.
func (s *step34) completeCatalog(entries map[string]*jsvalue.Value) *Refusal {
	children := slices.Clone(s.children)
	slices.SortStableFunc(children, func(a, b Child) int {
		at, _ := a.CreatedAt.Float()
		bt, _ := b.CreatedAt.Float()
		return cmp.Or(cmp.Compare(at, bt), compareUnits(a.ID, b.ID))
	})
	for _, child := range children {
		fact := child.fact()
		if entry := entries[child.ID]; entry != nil {
			if !jsvalue.Same(entry.Get("childCreatedAt"), child.CreatedAt) || fact != nil &&
				(!jsvalue.Same(entry.Get("mode"), fact.Get("mode")) || !jsvalue.Same(entry.Get("label"), fact.Get("label"))) {
				return refuse(CodeCatalog, StageStep34, "the catalog says another thing of a subagent than its own log").found(entry)
			}
			continue
		}
		if fact == nil {
			fact = jsvalue.Object(
				member("version", jsvalue.Int(1)), member("childId", jsvalue.String(child.ID)), member("childCreatedAt", child.CreatedAt),
				member("mode", jsvalue.String("unknown")),
			)
		}
		entries[child.ID] = fact
		added := newEvent(logformat.TypeSubagentCatalog, s.seq, s.lastTime, fact, Origin{Seq: -1})
		s.seq++
		*s.inserted++
		if refusal := s.next(added); refusal != nil {
			return refusal
		}
	}
	return nil
}
