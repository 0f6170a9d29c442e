package reconstruct_test

import (
	"fmt"
	"os"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// Rebuild every request of a log, with its digest and where its messages come from.
func Example() {
	f, err := os.Open("../fixtures/tools-parallel/session.jsonl")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	reader := logformat.NewReader(f, logformat.Options{})
	header, err := reader.Header()
	if err != nil {
		panic(err)
	}
	session := reconstruct.NewSession(header, reconstruct.Options{})
	for q, err := range session.Requests(reader) {
		if err != nil {
			panic(err) // a *logformat.Refusal: the log cannot be trusted
		}
		fmt.Printf("%s: %d bytes, %.12s, %s\n", q.Key(), q.Len(), q.Digest(), q.Relation.Kind)
		for m := range q.Messages() {
			fmt.Printf("  %s of seq %d, line %d\n", m.Type, m.Seq, m.Pos.Line)
		}
	}
	// Output:
	// 1.1.1: 626 bytes, 1bd7f3ceb9eb, first
	//   user/message of seq 4, line 6
	// 1.2.1: 2298 bytes, 122a2f6af726, extends
	//   user/message of seq 4, line 6
	//   assistant/message of seq 34, line 27
	//   tool/result of seq 38, line 31
	//   tool/result of seq 39, line 32
	//   tool/result of seq 40, line 33
	//   tool/result of seq 42, line 35
	//   tool/result of seq 44, line 37
}
