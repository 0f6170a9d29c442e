package shape

import "github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"

// A variant is an object whose members depend on the value of one of them.
type variant struct {
	by    string
	cases map[string]check
	free  bool // other values are free: any string that is not empty, with any members
}

func choose(by string, free bool, cases map[string]string) *variant {
	v := &variant{by: by, cases: make(map[string]check, len(cases)), free: free}
	for value, members := range cases {
		v.cases[value] = object(by + ":=" + value + " " + members)
	}
	return v
}

func (k *variant) check(c *context, v *jsvalue.Value) *Fault {
	if !v.IsObject() {
		return &Fault{Want: "an object", Got: v}
	}
	kind := v.Get(k.by)
	if known, ok := k.cases[kind.Text()]; ok && kind.IsString() {
		return known(c, v)
	}
	if k.free && kind.Filled() {
		return nil
	}
	return (&Fault{Want: "a kind that the upgrade knows", Got: kind}).under(k.by)
}

// The content blocks. Format 2 also has files, and knows no others.
var (
	blocks = choose("type", true, map[string]string{
		"text":      "text:s",
		"reasoning": "text:s",
		"image": "attachment:{attachmentId:s+ mediaType:=image/png|image/jpeg|image/webp|image/gif bytes:n width:n+ height:n+ name?:s" +
			" originalDimensions?:{width:n+ height:n+}}",
		"tool-call":   "id:s+ name:s+ arguments:s",
		"tool-result": "toolCallId:s+ content:[@block] isError?:b",
	})
	fileBlock = object("type:=file attachment:{attachmentId:s+ name:s bytes:n}")
)

func checkBlock(c *context, v *jsvalue.Value) *Fault {
	if c.version != 2 {
		return blocks.check(c, v)
	}
	if kind := v.Get("type"); v.IsObject() && !BlockKind(kind) {
		return (&Fault{Want: "a kind of block that the upgrade knows", Got: kind}).under("type")
	}
	if v.Get("type").Is("file") {
		return fileBlock(c, v)
	}
	return blocks.check(c, v)
}

// The sources of messages. Format 2 also has relayed messages of agents, and knows no others.
var (
	sources = choose("kind", true, map[string]string{
		"user":               "rpcId?:s+ clientTimeZone?:s+",
		"model":              "provider:s+ model:s+ replayState?:any",
		"tool":               "callId:s+",
		"agent-instructions": "form:=instructions changes:[{action:=set|replace|remove scope:s path:s digest?:s}] baseline?:=true baselineIdentity?:s+",
		"team-message":       "teamId:s+ messageId:s+ senderId:s+ senderName:s",
		"goal":               "goalId:s+ revision:n+ round:n+",
		"skill-invocation":   "name:s+ form:=instructions",
		"skill-catalog":      "form:=catalog entries:[{name:s+ description:s}] update?:=true",
		"coordinator":        "form:=relay senderSessionId:s+",
		"subagent-report":    "form:=relay senderSessionId:s+",
		"subagent-settled":   "form:=notice summary:s senderSessionId:s+",
		"webhook":            "provider:s+ source:s+ deliveryId:s+ ruleId:s+ form:=notice summary:s",
		"session-reference":  "form:=recall version:=1 references:@references",
	})
	agentMessage = object("kind:=agent-message form:=relay senderSessionId:s+")
	pluginSource = object("kind:=plugin plugin:s+ form?:=instructions|catalog|snapshot|notice|relay|recall sections?:any summary?:any")
	compactPoint = object("kind:=plugin plugin:=compact form?:=instructions|catalog|snapshot|notice|relay|recall sections?:any summary?:any" +
		" compactionId:s+ sourceCommandId?:s+")
	sections = object("sections:[{name:s+ text:s}]")
	summary  = object("summary:s")
)

func checkSource(c *context, v *jsvalue.Value) *Fault {
	kind := v.Get("kind")
	switch {
	case kind.Is("plugin"):
		return checkPlugin(c, v)
	case c.version == 2 && kind.Is("agent-message"):
		return agentMessage(c, v)
	case c.version == 2 && v.IsObject() && sources.cases[kind.Text()] == nil:
		return (&Fault{Want: "a kind of source that the upgrade knows", Got: kind}).under("kind")
	}
	return sources.check(c, v)
}

// checkPlugin checks the source of a plugin: with a form, sections belong to a snapshot and
// a summary to a notice; without one both are free.
func checkPlugin(c *context, v *jsvalue.Value) *Fault {
	exact := pluginSource
	if v.Get("plugin").Is("compact") {
		exact = compactPoint
	}
	if fault := exact(c, v); fault != nil || !v.Has("form") {
		return fault
	}
	for _, part := range []struct {
		form, member string
		shape        check
	}{{"snapshot", "sections", sections}, {"notice", "summary", summary}} {
		member := v.Get(part.member)
		if v.Get("form").Is(part.form) {
			if fault := part.shape(c, jsvalue.Object(jsvalue.Member{Key: part.member, Value: member})); fault != nil {
				return fault
			}
		} else if member != nil {
			return (&Fault{Want: "this member only with the form " + part.form, Got: member}).under(part.member)
		}
	}
	return nil
}

// The reasons for which a turn ends; the others are free.
var (
	endings = choose("kind", true, map[string]string{
		"completed": "", "blocked": "", "max-tokens": "", "interrupted": "",
		"aborted": "reason:@abort", "error": "error:@failure",
	})
	aborts = choose("kind", false, map[string]string{"user": "", "parent": "", "disposed": "", "legacy": "", "hook": "reason:s"})
	titles = choose("kind", false, map[string]string{
		"provider": "provider:s+ model?:{provider:s+ model:s+}", "fallback": "", "user": "",
	})
	descriptors = choose("mode", false, map[string]string{
		"one-shot": "version:=3 provider:s+ label?:s",
		"continuable": "version:=3 provider:s+ label:s+ agentProvider?:s+ agentModel?:s+ agentReasoningEffort?:s+ persona?:s+" +
			" toolFilter?:{allow?:[s+] deny?:[s+]}",
	})
	schedules = choose("kind", false, map[string]string{
		"after": "id:s+ prompt:s+ afterSeconds:n+ scheduledAt:@instant",
		"at":    "id:s+ prompt:s+ scheduledAt:@instant",
		"every": "id:s+ prompt:s+ everySeconds:n+ scheduledAt:@instant",
	})
	scheduleChanges = choose("operation", false, map[string]string{
		"create": "version:=1 schedule:@schedule", "delete": "version:=1 id:s+", "dispatch": "version:=1 id:s+ acceptedAt?:@instant",
	})
)

// shapes are the shapes with a name. They are filled by init because they refer to each other.
var shapes map[string]check

func init() {
	shapes = map[string]check{
		"block": checkBlock, "source": checkSource, "references": checkReferences, "instant": checkInstant,
		"user":      func(c *context, v *jsvalue.Value) *Fault { return checkMessage(c, v, asUser) },
		"assistant": func(c *context, v *jsvalue.Value) *Fault { return checkMessage(c, v, asAssistant) },
		"tool":      func(c *context, v *jsvalue.Value) *Fault { return checkMessage(c, v, asTool) },
		"message":   func(c *context, v *jsvalue.Value) *Fault { return checkMessage(c, v, asAny) },
		"ending":    endings.check, "abort": aborts.check, "title": titles.check, "schedule": schedules.check,
		"usage":   object("inputTokens:n outputTokens:n totalTokens?:n cacheReadTokens?:n cacheWriteTokens?:n reasoningTokens?:n"),
		"failure": object("message:s+ code:s+ status?:@status providerRetryAfterMs?:@delay requestId?:s+"),
		"status":  within("a status from 100 to 599", 100, 599, true),
		"delay":   within("a positive number", 0, 0, false),
	}
}
