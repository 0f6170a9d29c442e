package jsvalue

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// Append appends what JSON.stringify prints of the value. Of an absent one it appends
// nothing.
func (v *Value) Append(dst []byte) []byte {
	switch v.Kind() {
	case ecmajson.Null:
		return append(dst, "null"...)
	case ecmajson.True:
		return append(dst, "true"...)
	case ecmajson.False:
		return append(dst, "false"...)
	case ecmajson.Number:
		return ecmajson.AppendNumber(dst, v.number)
	case ecmajson.String:
		return ecmajson.AppendString(dst, v.text)
	case ecmajson.Array:
		dst = append(dst, '[')
		for i, item := range v.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.Append(dst)
		}
		return append(dst, ']')
	case ecmajson.Object:
		dst = append(dst, '{')
		for i, m := range v.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(ecmajson.AppendString(dst, m.Key), ':')
			dst = m.Value.Append(dst)
		}
		return append(dst, '}')
	}
	return dst
}
