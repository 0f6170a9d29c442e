package logformat

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// images are those of a message, counted from 0 in the order in which they stand.
type images struct {
	count     int
	offloaded []uint64 // a bit for each
}

// see counts the images of content. wrapped: those in tool-result blocks too.
func (i *images) see(content ecmajson.Value, wrapped bool) {
	for block := range content.Elements() {
		switch blockType := block.Lookup("type"); {
		case blockType.Is("image"):
			if block.Lookup("offloaded").Kind() == ecmajson.True {
				i.set(i.count)
			}
			i.count++
		case wrapped && blockType.Is("tool-result"):
			i.see(block.Lookup("content"), wrapped)
		}
	}
}

func (i *images) set(n int) {
	for n/64 >= len(i.offloaded) {
		i.offloaded = append(i.offloaded, 0)
	}
	i.offloaded[n/64] |= 1 << (n % 64)
}

func (i *images) has(n int) bool {
	return n/64 < len(i.offloaded) && i.offloaded[n/64]&(1<<(n%64)) != 0
}

// offload (V3-10) takes images off messages of the surface. Nothing is taken where one of
// them is not there.
func (log *laterLog) offload(row *envelope) *Refusal {
	fault := func(format string, args ...any) *Refusal {
		return row.fault(CodeOffload, PhaseEvents, fmt.Sprintf(format, args...))
	}
	data := row.data.Value()
	targets := data.Lookup("targets")
	if !onlyKeys(data, []string{"targets"}) || targets.Kind() != ecmajson.Array || firstOf(targets) == nil {
		return fault("its data are not targets alone, or there is none")
	}
	for target := range targets.Elements() {
		seq, ok := count(target.Lookup("seq"))
		if !ok || !onlyKeys(target, []string{"seq", "imageIndexes"}) {
			return fault("a target is not a seq with its imageIndexes")
		}
		node := log.surface.nodes[seq]
		if node == nil || node.t.name != TypeUserMessage && node.t.name != TypeToolResult {
			return fault("seq %d is no message on the surface that may hold images", seq)
		}
		if node.cited == row.seq+1 {
			return fault("seq %d is named twice", seq)
		}
		node.cited = row.seq + 1
		if detail := node.images.take(target.Lookup("imageIndexes")); detail != "" {
			return fault("%s of seq %d", detail, seq)
		}
	}
	return nil
}

// take offloads images, or says which cannot be.
func (i *images) take(indexes ecmajson.Value) (detail string) {
	if indexes.Kind() != ecmajson.Array || firstOf(indexes) == nil {
		return "no image"
	}
	last := int64(-1)
	for v := range indexes.Elements() {
		n, ok := count(v)
		switch {
		case !ok || n <= last:
			return "imageIndexes that do not increase"
		case n >= int64(i.count):
			return fmt.Sprintf("image %d, which is not there,", n)
		case i.has(int(n)):
			return fmt.Sprintf("image %d, which was offloaded before,", n)
		}
		i.set(int(n))
		last = n
	}
	return ""
}
