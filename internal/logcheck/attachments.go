package logcheck

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/check/objects"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/text"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// Attachments checks the objects that logs reference, and remembers what was referenced
// and in which stores it was looked for.
type Attachments struct {
	referenced map[string]bool // digests, wherever in a log they stand
	stores     map[string]*objectstore.Folder
	unread     int // sessions of which not every reference is known
}

// NewAttachments returns a run over no log yet.
func NewAttachments() *Attachments {
	return &Attachments{referenced: make(map[string]bool), stores: make(map[string]*objectstore.Folder)}
}

// Place reports on the objects of every log that an argument names.
func (a *Attachments) Place(c *Checker, name string, place *source.Place) (reports []*result.Log) {
	if len(place.Findings) > 0 {
		reports = append(reports, result.Place(name, place.Findings))
	}
	for _, log := range place.Absent {
		reports = append(reports, Absent(log))
	}
	a.unread += len(place.Absent)
	for _, log := range place.Logs {
		report := beside(log, a.log(c, log))
		if unusable(report) {
			a.unread++
		}
		reports = append(reports, report)
	}
	return reports
}

func (a *Attachments) log(c *Checker, log *source.Log) *result.Log {
	reader, closer, err := log.Open(c.Read)
	if err != nil {
		return result.Failed(log.Name, err)
	}
	defer closer.Close()
	verifier, err := c.Objects(log)
	if err != nil {
		return result.Unreadable(log.Name, text.Cause(err))
	}
	if verifier != nil {
		if folder, ok := verifier.Store().(*objectstore.Folder); ok {
			a.stores[folder.Name()] = folder
		}
	}
	report := verify.Run(log.Name, reader, objects.New(verifier), references{of: a})
	report.Requests = []result.Request{}
	if n := report.Counts.Objects; n > 0 && n == report.Counts.ObjectsOK && report.Verdict == finding.Rebuilt {
		report.Verdict = finding.Verified
	}
	return report
}

// references is the check that passes acts on.
type references struct {
	verify.Base
	of *Attachments
}

// Before notes what an act references.
func (r references) Before(act *transcript.Act) { r.of.observe(act) }

// observe notes every attachment id of an act: what an inbox or a stream holds keeps
// an object in use, though no request shows it.
func (a *Attachments) observe(act *transcript.Act) {
	if act.Event == nil {
		return
	}
	data := []byte(act.Event.Data)
	for {
		_, rest, ok := bytes.Cut(data, []byte(`"sha256:`))
		if !ok {
			return
		}
		if len(rest) > 64 && objectstore.IsDigest(string(rest[:64])) {
			a.referenced[string(rest[:64])] = true
		}
		data = rest
	}
}

// Unreferenced reports what the stores hold beyond what was referenced. An image in the
// cache is explained by an object that the deployment would have made it of.
func (a *Attachments) Unreferenced(deployment wire.Policy) (reports []*result.Log) {
	explained := make(map[string]bool)
	for digest := range a.referenced {
		for _, transform := range []objectstore.Transform{objectstore.TransformV4, objectstore.TransformV5} {
			explained[transform.Key("sha256:"+digest, deployment.PixelBudget, deployment.ByteCap)] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.stores)) {
		if found := a.unreferencedIn(name, explained); len(found) > 0 {
			reports = append(reports, result.Place(name, found))
		}
	}
	return reports
}

func (a *Attachments) unreferencedIn(name string, explained map[string]bool) (found []finding.Finding) {
	var objects, images []string
	for entry, err := range a.stores[name].Walk() {
		switch {
		case err != nil:
			found = append(found, finding.New(finding.InputUnreadable, finding.Plain(err.Error()), finding.Place{Seq: -1, File: name}))
		case entry.RequestImage && !explained[entry.Digest]:
			images = append(images, fmt.Sprintf("%s (%d bytes)", entry.Digest, entry.Bytes))
		case !entry.RequestImage && !a.referenced[entry.Digest]:
			objects = append(objects, fmt.Sprintf("sha256:%s (%d bytes)", entry.Digest, entry.Bytes))
		}
	}
	add := func(code finding.Code, items []string) {
		if len(items) == 0 {
			return
		}
		f := finding.New(code, finding.Say("%d%s", len(items), a.mayReference()), finding.Place{Seq: -1, File: name})
		for _, item := range items {
			f.Detail = append(f.Detail, finding.Plain(item))
		}
		found = append(found, f)
	}
	add(finding.ObjectUnreferenced, objects)
	add(finding.ObjectCacheUnknown, images)
	return found
}

// mayReference names the sessions that could not be read: what they reference is not known.
func (a *Attachments) mayReference() string {
	if a.unread == 0 {
		return ""
	}
	return ", and what the logs of " + text.Count(a.unread, "session") + " reference, which could not be read, is not known"
}
