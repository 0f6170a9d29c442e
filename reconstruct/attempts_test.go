package reconstruct_test

import "testing"

// TestAttempts are what a finish chunk of kind error or aborted, and a chunk after it
// in the same step, make of a step.
func TestAttempts(t *testing.T) {
	holds(t, []rule{
		{"error, then a chunk", before + `
			chunk
			finish error
			chunk`, `
			1.1.1 gpt: hi
			1.1.2 gpt: hi`},
		{"aborted, then a chunk", before + `
			chunk
			finish aborted
			chunk`, `
			1.1.1 gpt: hi
			1.1.2 gpt: hi`},
		{"three of them", before + `
			finish error
			finish error
			chunk
			assistant "yo"`, `
			1.1.1 gpt: hi
			1.1.2 gpt: hi
			1.1.3 gpt: hi`},
		{"a failure and the end of the step is no attempt", before + `
			chunk
			finish error
			step end`, `1.1.1 gpt: hi`},
		{"a failure and a message of what came is no attempt", before + `
			chunk
			finish aborted
			assistant "y"
			step end`, `1.1.1 gpt: hi`},
		{"a retry that was started and shows no chunk is prepared", before + `
			chunk
			finish error
			retry
			retry started
			step end`, `
			1.1.1 gpt: hi
			1.1.2? gpt: hi`},
		{"a retry that was only announced is nothing", before + `
			chunk
			finish error
			retry
			step end`, `1.1.1 gpt: hi`},
		{"a retry takes the messages as they are then", before + `
			chunk
			finish error
			user "more"
			retry
			retry started
			chunk`, `
			1.1.1 gpt: hi
			1.1.2 gpt: hi | more`},
		{"and not what comes after it was started", before + `
			chunk
			finish error
			retry
			retry started
			user "late"
			chunk`, `
			1.1.1 gpt: hi
			1.1.2 gpt: hi`},
		{"nor what comes after its header", before + `
			chunk
			finish error
			header two
			user "late"
			chunk`, `
			1.1.1 gpt: hi
			1.1.2 two: hi`},
		{"a retry after compaction, as overflow has it, without events of the policy", before + `
			chunk
			finish error
			compaction start
			compaction summary q
			user "sum" over q
			compaction end
			chunk`, `
			1.1.1 gpt: hi
			1.1.2 gpt: sum`},
		{"config is taken again, system prompt and tools are the step's", `
			turn 1
			step 1.1
			user "hi"
			header one system="S" tools=[{"name":"t"}]
			chunk
			finish error
			header two system="X" tools=[{"name":"u"}]
			chunk
			step end
			step 1.2
			chunk`, `
			1.1.1 one system="S" tools=[{"name":"t"}]: hi
			1.1.2 two system="S" tools=[{"name":"t"}]: hi
			1.2.1 two system="X" tools=[{"name":"u"}]: hi`},
		{"attempts are counted in each step", before + `
			finish error
			chunk
			step end
			step 1.2
			chunk
			finish error
			chunk`, `
			1.1.1 gpt: hi
			1.1.2 gpt: hi
			1.2.1 gpt: hi
			1.2.2 gpt: hi`},
		{"what the policy says of a retry outside a failure is nothing", before + `
			retry started
			chunk`, `1.1.1 gpt: hi`},
		{"a replace after the retry was started leaves what it took", before + `
			finish error
			retry started
			user "sum" over q
			chunk`, `
			1.1.1 gpt: hi
			1.1.2 gpt: hi`},
	})
}
