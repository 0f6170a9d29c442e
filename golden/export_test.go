package golden

// Holds returns the events of the messages that each request holds, by the lives
// that a sum tells, in the order of the events.
func Holds(s *Sum) map[string][]int64 {
	held := make(map[string][]int64)
	all := lives(s)
	for j := range s.Requests {
		seqs := []int64{}
		for i := range s.Messages {
			if s.Messages[i].Digest != "" && holds(&all[i], j) {
				seqs = append(seqs, s.Messages[i].Seq)
			}
		}
		held[s.Requests[j].Key()] = seqs
	}
	return held
}

// Align is align over the bytes of two strings; alike letters have the same case.
func Align(old, new string) (pairs [][2]int) {
	split := func(s string) (keys []string) {
		for _, r := range s {
			keys = append(keys, string(r))
		}
		return keys
	}
	a, b := split(old), split(new)
	for _, p := range align(a, b, func(i, j int) bool { return (a[i] < "a") == (b[j] < "a") }) {
		pairs = append(pairs, [2]int{p.old, p.new})
	}
	return pairs
}
