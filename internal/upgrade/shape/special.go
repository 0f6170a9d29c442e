package shape

import (
	"regexp"
	"strings"
	"time"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// within checks a number between two others; a whole one from low to high, or any that is
// greater than low.
func within(want string, low, high float64, whole bool) check {
	return func(_ *context, v *jsvalue.Value) *Fault {
		f, _ := v.Float()
		_, safe := v.SafeInt()
		if whole && safe && f >= low && f <= high || !whole && finite(v) && f > low {
			return nil
		}
		return &Fault{Want: want, Got: v}
	}
}

// A messageSlot is where a message stands, which decides its role and its source.
type messageSlot int

const (
	asAny messageSlot = iota
	asUser
	asAssistant
	asTool
)

var (
	anyMessage       = object("id:s+ role:=system|user|assistant content:[@block] source:obj")
	userMessage      = object("id:s+ role:=user content:[@block] source:obj")
	assistantMessage = object("id:s+ role:=assistant content:[@block] source:obj")
)

func checkMessage(c *context, v *jsvalue.Value, slot messageSlot) *Fault {
	outer := [...]check{anyMessage, userMessage, assistantMessage, userMessage}[slot]
	if fault := outer(c, v); fault != nil {
		return fault
	}
	source := v.Get("source")
	if c.version < 2 && slot == asUser && source.Get("kind").Is("goal") && source.Has("change") {
		return checkGoalMessage(c, v, source)
	}
	kind := source.Get("kind")
	if want := [...]string{asAssistant: "model", asTool: "tool"}[slot]; want != "" && !kind.Is(want) {
		return (&Fault{Want: want, Got: kind}).under("kind").under("source")
	}
	if fault := checkSource(c, source); fault != nil {
		return fault.under("source")
	}
	if block := v.Get("content").Item(0); slot == asTool &&
		(len(v.Get("content").Items()) != 1 || !block.Get("type").Is("tool-result") || !jsvalue.Same(block.Get("toolCallId"), source.Get("callId"))) {
		return (&Fault{Want: "one tool-result block of the call that the source names", Got: v.Get("content")}).under("content")
	}
	return nil
}

var goalSource = object("kind:=goal goalId:s+ revision:n+ round:=0 change:any")

// checkGoalMessage checks a message that announces a change of a goal: its text is the
// change's members as JSON.
func checkGoalMessage(c *context, message, source *jsvalue.Value) *Fault {
	if fault := goalSource(c, source); fault != nil {
		return fault.under("source")
	}
	change := source.Get("change")
	if fault := checkGoal(c, change); fault != nil {
		return fault.under("change").under("source")
	}
	goal := change.Get("goal")
	members := []string{"goal", "roundsStarted", "createdAt", "updatedAt"}
	if change.Get("operation").Is("clear") {
		goal, members = change.Get("cleared"), []string{"cleared", "clearedAt"}
	}
	for _, name := range [2][2]string{{"goalId", "id"}, {"revision", "revision"}} {
		if got := source.Get(name[0]); !jsvalue.Same(got, goal.Get(name[1])) {
			return (&Fault{Want: "the goal that is changed", Got: got}).under(name[0]).under("source")
		}
	}
	state := make([]jsvalue.Member, len(members))
	for i, name := range members {
		state[i] = jsvalue.Member{Key: name, Value: change.Get(name)}
	}
	text := "<goal_state>" + string(jsvalue.Object(state...).Append(nil)) + "</goal_state>"
	want := jsvalue.Array(jsvalue.Object(jsvalue.Member{Key: "type", Value: jsvalue.String("text")}, jsvalue.Member{Key: "text", Value: jsvalue.String(text)}))
	if !jsvalue.Equal(message.Get("content"), want) {
		return (&Fault{Want: "one text with the state of the goal", Got: message.Get("content")}).under("content")
	}
	return nil
}

var (
	goalCleared = object("kind:=goal/change version:=1 operation:=clear cleared:{id:s+ revision:n+} clearedAt:n")
	goalChanged = object("kind:=goal/change version:=1 operation:=create|edit|pause|resume|complete|block goal:{id:s+ revision:n+ objective:s+" +
		" phase:=active|paused|blocked|complete maxGoalRounds:n+ blockedReason?:{code:s+ message:s+}} roundsStarted:n createdAt:n updatedAt:n")
)

func checkGoal(c *context, v *jsvalue.Value) *Fault {
	if v.Get("operation").Is("clear") {
		return goalCleared(c, v)
	}
	if fault := goalChanged(c, v); fault != nil {
		return fault
	}
	goal := v.Get("goal")
	if goal.Get("phase").Is("blocked") != goal.Has("blockedReason") {
		return (&Fault{Want: "a reason exactly when the goal is blocked", Got: goal.Get("blockedReason")}).under("blockedReason").under("goal")
	}
	return nil
}

// checkSchedule checks a change of the schedule: ids have no white space around them, and
// what repeats does so every five minutes at most.
func checkSchedule(c *context, v *jsvalue.Value) *Fault {
	if fault := scheduleChanges.check(c, v); fault != nil {
		return fault
	}
	under, holder := "", v
	if v.Get("operation").Is("create") {
		under, holder = "/schedule", v.Get("schedule")
	}
	if id := holder.Get("id"); jsvalue.Trim(id.Text()) != id.Text() {
		return &Fault{Pointer: under + "/id", Want: "an id without white space around it", Got: id}
	}
	if every := holder.Get("everySeconds"); every != nil {
		if n, _ := every.Count(); n < 300 {
			return &Fault{Pointer: under + "/everySeconds", Want: "300 seconds or more", Got: every}
		}
	}
	return nil
}

var instant = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

func checkInstant(_ *context, v *jsvalue.Value) *Fault {
	at, err := time.Parse("2006-01-02T15:04:05.000Z", v.Text())
	if !v.IsString() || !instant.MatchString(v.Text()) || err != nil || at.Year() == 0 {
		return &Fault{Want: "a time like 2026-01-02T03:04:05.678Z", Got: v}
	}
	return nil
}

var (
	reference = "sessionId:s+ label:s capturedThroughSeq:n|null compacted:b originalMessages:n retainedMessages:n omittedMessages:n" +
		" omittedBytes:n truncated:b inputIndex:n"
	references0 = object("all:[{" + reference + "}]+")
	references1 = object("all:[{" + reference + " capturedFormatVersion?:n+}]+")
)

// checkReferences checks what a message recalls of other sessions: the counts add up, and
// each session is there once.
func checkReferences(c *context, v *jsvalue.Value) *Fault {
	shape := references0
	if c.version > 0 {
		shape = references1
	}
	if fault := shape(c, jsvalue.Object(jsvalue.Member{Key: "all", Value: v})); fault != nil {
		fault.Pointer = strings.TrimPrefix(fault.Pointer, "/all")
		return fault
	}
	seen := make(map[string]bool)
	for i, item := range v.Items() {
		count := func(name string) int64 { n, _ := item.Get(name).Count(); return n }
		omitted := count("omittedMessages") > 0 || count("omittedBytes") > 0
		id := item.Get("sessionId").Text()
		switch {
		case count("capturedFormatVersion") > int64(c.version):
			return element(&Fault{Want: "a format that existed", Got: item.Get("capturedFormatVersion")}, i)
		case count("originalMessages") != count("retainedMessages")+count("omittedMessages"):
			return element(&Fault{Want: "counts of messages that add up", Got: item}, i)
		case item.Get("truncated").IsTrue() != omitted:
			return element(&Fault{Want: "truncated exactly when something is omitted", Got: item.Get("truncated")}, i)
		case count("inputIndex") != int64(i):
			return element(&Fault{Want: "the index of its place", Got: item.Get("inputIndex")}, i)
		case seen[id]:
			return element(&Fault{Want: "a session that is not there already", Got: item.Get("sessionId")}, i)
		}
		seen[id] = true
	}
	return nil
}
