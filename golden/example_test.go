package golden_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/dsh-verify/dsh-verify/golden"
	"github.com/dsh-verify/dsh-verify/logformat"
)

func Example() {
	log, err := os.ReadFile("../fixtures/text-one-turn/session.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := golden.Record(logformat.NewReader(bytes.NewReader(log), logformat.Options{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(string(golden.Format(sum))) {
		fmt.Println(line[:min(len(line)-1, 60)])
	}

	edited := strings.ReplaceAll(string(log), `"maxTokens":256000`, `"maxTokens":1000`)
	_, changes, err := golden.Check(sum, logformat.NewReader(strings.NewReader(edited), logformat.Options{}))
	for _, c := range changes {
		fmt.Println(c.Kind, c.Name, c.Old, c.New, c.Requests, err)
	}
	// Output:
	// dsh-verify requests.sum v1
	// session "ses-lamp-01" format 0
	// message user/message 138 25c03e26bf175a6356ac5f8f12b2ff9d314
	// header 1 "initial"
	//   config "provider" "deepseek-official"
	//   config "model" "deepseek-v4-flash"
	//   config "maxTokens" 256000
	//   config "reasoningEffort" "high"
	//   system 49 887ebfd79bf77070e5ecaf5cc7a5fded591fc9dc8735d2f5
	// request 1.1.1 header 1 messages 1 bytes 341 2ede28c4379e309d
	// message assistant/message 231 5b305b9046d8372b63b892ba76bb8e
	// changed-config maxTokens 256000 1000 [1.1.1] <nil>
}
