package golden

// A life is while a message was on the surface, and what requests hold it.
type life struct {
	from, to int          // indexes of requests: from the first that may hold it up to, not including, to
	not      map[int]bool // of those, requests whose messages were taken before it came
	gone     bool
}

// lives plays the surface of a sum and returns each message's life.
func lives(s *Sum) []life {
	all := make([]life, len(s.Messages))
	next, prev := make([]int, len(s.Messages)+1), make([]int, len(s.Messages)+1)
	tail, visible := 0, 0 // numbers of messages; 0 is the head of the list
	shown := func(n int) int {
		if s.Messages[n-1].Digest == "" {
			return 0
		}
		return 1
	}
	request := 0
	requestsUpTo := func(line int) {
		for ; request < len(s.Requests) && s.Requests[request].Line < line; request++ {
			late := tail
			for surplus := visible - s.Requests[request].Messages; surplus > 0 && late > 0; late = prev[late] {
				if all[late-1].not == nil {
					all[late-1].not = make(map[int]bool)
				}
				all[late-1].not[request] = true
				surplus -= shown(late)
			}
		}
	}
	for i := range s.Messages {
		m, number := &s.Messages[i], i+1
		requestsUpTo(m.Line)
		all[i] = life{from: request, to: len(s.Requests)}
		after := tail
		if reaches(next, all, m.First, m.Last) {
			after = prev[m.First]
			end := next[m.Last]
			for n := m.First; n != 0; n = next[n] {
				all[n-1].to, all[n-1].gone = request, true
				visible -= shown(n)
				if n == m.Last {
					break
				}
			}
			next[number] = end
			if end > 0 {
				prev[end] = number
			} else {
				tail = number
			}
		} else {
			tail = number
		}
		next[after], prev[number] = number, after
		visible += shown(number)
	}
	requestsUpTo(last)
	return all
}

// reaches reports whether the surface leads from one message to another. In the
// sum of a log it always does.
func reaches(next []int, all []life, first, last int) bool {
	if first < 1 || all[first-1].gone || all[last-1].gone {
		return false
	}
	for n := first; n != 0; n = next[n] {
		if n == last {
			return true
		}
	}
	return false
}
