// Rebuild prints the exact bytes of one request of a session log:
//
//	go run ./examples/rebuild fixtures/text-one-turn/session.jsonl 1
package main

import (
	"fmt"
	"log"
	"os"
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: rebuild LOG NUMBER")
	}
	number, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	f, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	reader := logformat.NewReader(f, logformat.Options{})
	header, err := reader.Header()
	if err != nil {
		log.Fatal(err)
	}
	for request, err := range reconstruct.NewSession(header, reconstruct.Options{}).Requests(reader) {
		if err != nil {
			log.Fatal(err) // a refusal: the log cannot be trusted
		}
		if request.Ordinal == number {
			fmt.Printf("%s\n", request.Bytes())
		}
	}
}
