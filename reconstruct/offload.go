package reconstruct

import (
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// offloadImages marks images of messages on the surface as offloaded, in place (section 7.4
// of the specification of later formats). What was taken of the messages before keeps its
// bytes. It returns the last message that changed.
func offloadImages(s *Surface, a *transcript.Act) (changed *Message, _ *logformat.Refusal) {
	for target := range a.Event.Data.Lookup("targets").Elements() {
		seq, _ := target.Lookup("seq").SafeInt()
		old := s.Node(seq)
		if old == nil {
			return nil, refusalOf(a, logformat.CodeReplaceMissing, "an image of an event that is not on the surface is offloaded")
		}
		m := *old
		o := offload{images: indexes(target.Lookup("imageIndexes"))}
		m.Bytes = o.message(make(ecmajson.Value, 0, len(old.Bytes)+len(o.images)*len(offloaded)), old.Bytes)
		m.By, m.Offloaded = ByOffload, append(slices.Clone(old.Offloaded), a.Event.Seq)
		s.splice(span{old, old, []int64{seq}}, &m)
		changed = &m
	}
	return changed, nil
}

func indexes(v ecmajson.Value) (list []int64) {
	for index := range v.Elements() {
		n, _ := index.SafeInt()
		list = append(list, n)
	}
	return list
}

// offloaded is the member that an image gets, as its last.
const offloaded = `,"offloaded":true`

// An offload goes through a message, and counts its images.
type offload struct {
	images []int64 // those to mark
	next   int64
}

// message appends a message to dst, its images marked.
func (o *offload) message(dst, m ecmajson.Value) ecmajson.Value {
	sep := byte('{')
	for key, value := range m.Members() {
		dst = append(append(append(dst, sep), key...), ':')
		if key.Is("content") && value.Kind() == ecmajson.Array {
			dst = o.content(dst, value)
		} else {
			dst = append(dst, value...)
		}
		sep = ','
	}
	return append(dst, '}')
}

func (o *offload) content(dst, list ecmajson.Value) ecmajson.Value {
	dst = append(dst, '[')
	first := true
	for block := range list.Elements() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		switch kind := block.Lookup("type"); {
		case kind.Is("image"):
			dst = append(dst, o.image(block)...)
		case kind.Is("tool-result"):
			dst = o.message(dst, block)
		default:
			dst = append(dst, block...)
		}
	}
	return append(dst, ']')
}

// image returns an image, marked if it is one of those.
func (o *offload) image(block ecmajson.Value) ecmajson.Value {
	o.next++
	if !slices.Contains(o.images, o.next-1) {
		return block
	}
	marked := append(make(ecmajson.Value, 0, len(block)+len(offloaded)), block[:len(block)-1]...)
	return append(append(marked, offloaded...), '}')
}
