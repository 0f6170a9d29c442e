package logformat

import (
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// An Upgrade names the legacy shape of an event that was brought to the current
// shape on load, in the way the harness does it.
type Upgrade string

// The upgrades.
const (
	UpgradeSteering  Upgrade = TypeSteeringMessage        // became user/message
	UpgradeTurnStart Upgrade = "turn/start trigger"       // the trigger was dropped
	UpgradeTurnEnd   Upgrade = "turn/end reason"          // an old reason was renamed
	UpgradeMessage   Upgrade = "message without identity" // got a derived id
)

// A legacyShape is an old shape of a type's events.
type legacyShape struct {
	// looks tells cheaply whether an event may be of it.
	looks func(data ecmajson.Node) bool
	// upgrade brings an event to the current shape, or refuses it when it is legacy but
	// incomplete. What only looks malformed is left to the later checks.
	upgrade func(e *legacyEvent) (Upgrade, *Refusal)
}

func always(ecmajson.Node) bool { return true }

func holds(member string) func(ecmajson.Node) bool {
	return func(data ecmajson.Node) bool { return data.Lookup(member).Kind() != ecmajson.Absent }
}

func lacks(member string) func(ecmajson.Node) bool {
	return func(data ecmajson.Node) bool { return data.Lookup(member).Kind() == ecmajson.Absent }
}

// upgrade brings a legacy event to the current shape.
func (log *version0Log) upgrade(env *envelope, t *typeRules) (Upgrade, *Refusal) {
	if t.legacy == nil || !t.legacy.looks(env.data) {
		return "", nil
	}
	legacy := legacyEvent{
		typ: env.typ.Value(), data: env.data.Value(), surfaceOp: env.surfaceOp.Value(), env: env,
		session: log.r.header.ID, ids: &log.ids,
	}
	upgraded, refusal := t.legacy.upgrade(&legacy)
	if refusal != nil || upgraded == "" {
		return "", refusal
	}
	// The new members get an index of their own, in the form of a line.
	index := &log.r.upgradeIndex
	line := new(objectBuilder).member("type", legacy.typ).member("data", legacy.data).value()
	if _, err := index.Check(line); err != nil {
		panic("logformat: an upgraded event does not parse: " + err.Error())
	}
	env.typ = index.Root().Lookup("type")
	env.data = index.Root().Lookup("data")
	return upgraded, nil
}

// A legacyEvent is an event on its way to the current shape.
type legacyEvent struct {
	typ, data, surfaceOp ecmajson.Value
	env                  *envelope
	session              string // the log's id
	ids                  *messageIDs
}

func (e *legacyEvent) fault(what string) *Refusal {
	return e.env.fault(CodeLegacyShape, PhaseMessages, what)
}

func (env *legacyEvent) upgradeSteering() (Upgrade, *Refusal) {
	data := env.data
	_, ok := data.Lookup("turn").SafeInt()
	switch {
	case ok && onlyKeys(data, []string{"turn", "message"}) && data.Lookup("message").Kind() == ecmajson.Object:
		env.data = data.Lookup("message")
	case ok && onlyKeys(data, []string{"turn", "content", "source"}):
		env.data = objectFrom(data, "turn").string("id", env.legacyID()).string("role", "user").value()
	default:
		return "", env.fault(TypeSteeringMessage)
	}
	env.typ = ecmajson.AppendString(nil, TypeUserMessage)
	return UpgradeSteering, nil
}

func (env *legacyEvent) upgradeTurnStart() (Upgrade, *Refusal) {
	trigger := env.data.Lookup("trigger")
	if env.data.Kind() != ecmajson.Object || trigger == nil {
		return "", nil
	}
	turn := env.data.Lookup("turn")
	n, ok := turn.SafeInt()
	if !ok || n < 1 || !onlyKeys(env.data, []string{"turn", "trigger"}) || !nonEmptyString(trigger.Lookup("kind")) {
		return "", env.fault("turn/start with a trigger")
	}
	env.data = new(objectBuilder).member("turn", turn).value()
	return UpgradeTurnStart, nil
}

func (env *legacyEvent) upgradeTurnEnd() (Upgrade, *Refusal) {
	if env.data.Kind() != ecmajson.Object {
		return "", nil
	}
	n, ok := env.data.Lookup("turn").SafeInt()
	reason := env.data.Lookup("reason")
	if !ok || n < 1 || !onlyKeys(env.data, []string{"turn", "reason"}) || reason.Lookup("kind").Kind() != ecmajson.String {
		return "", env.env.fault(CodeTurnEnd, PhaseMessages, "")
	}
	current, ok := currentReason(reason)
	if !ok {
		return "", env.env.fault(CodeTurnEnd, PhaseMessages, "reason "+string(reason.Lookup("kind")))
	}
	if current == nil {
		return "", nil
	}
	// Spread and override: the reason keeps its place among the members.
	b := new(objectBuilder)
	for key, v := range env.data.Members() {
		if key.Is("reason") {
			v = current
		}
		b.raw(key, v)
	}
	env.data = b.value()
	return UpgradeTurnEnd, nil
}

// currentReason returns what an old turn/end reason became; nil when the reason
// is current already, false when it is malformed.
func currentReason(reason ecmajson.Value) (ecmajson.Value, bool) {
	kind := reason.Lookup("kind")
	bare := onlyKeys(reason, []string{"kind"})
	switch kind.Text() {
	case "completed", "blocked", "max-tokens", "interrupted":
		return nil, bare
	case "aborted":
		if reason.Lookup("reason") != nil {
			return nil, true
		}
		return ecmajson.Value(`{"kind":"aborted","reason":{"kind":"legacy"}}`), bare
	case "disposed":
		return ecmajson.Value(`{"kind":"aborted","reason":{"kind":"disposed"}}`), bare
	case "error":
		return currentError(reason)
	}
	return nil, true
}

func currentError(reason ecmajson.Value) (ecmajson.Value, bool) {
	if reason.Lookup("error") != nil {
		return nil, true
	}
	if _, ok := nonNegative(reason.Lookup("step")); !ok {
		return nil, false
	}
	b := new(objectBuilder).string("kind", "error")
	if failure := reason.Lookup("failure"); isFailure(failure) && onlyKeys(reason, []string{"kind", "step", "failure"}) {
		return b.member("error", failure).value(), true
	}
	message, code := reason.Lookup("message"), reason.Lookup("code")
	keys := []string{"kind", "step", "message"}
	if code != nil {
		keys = append(keys, "code")
	}
	if !onlyKeys(reason, keys) || message.Kind() != ecmajson.String || code != nil && code.Kind() != ecmajson.String {
		return nil, false
	}
	if code == nil {
		code = ecmajson.Value(`"UNKNOWN"`)
	}
	inner := new(objectBuilder).member("message", message).member("code", code).value()
	return b.member("error", inner).value(), true
}

func isFailure(v ecmajson.Value) bool {
	if v.Kind() != ecmajson.Object || !onlyKeys(v, []string{"message", "code"}, "status", "providerRetryAfterMs", "requestId") {
		return false
	}
	isOr := func(key string, kind ecmajson.Kind) bool {
		m := v.Lookup(key)
		return m == nil || m.Kind() == kind
	}
	return v.Lookup("message").Kind() == ecmajson.String && v.Lookup("code").Kind() == ecmajson.String &&
		isOr("status", ecmajson.Number) && isOr("providerRetryAfterMs", ecmajson.Number) && isOr("requestId", ecmajson.String)
}

func (env *legacyEvent) upgradeUser() (Upgrade, *Refusal) {
	if has(env.data, "id") || has(env.data, "role") || has(env.data, "message") || !has(env.data, "content") || !has(env.data, "source") {
		return "", nil
	}
	env.data = objectFrom(env.data).string("id", env.legacyID()).string("role", "user").value()
	return UpgradeMessage, nil
}

func (env *legacyEvent) upgradeAssistant() (Upgrade, *Refusal) {
	data := env.data
	if has(data, "message") || !has(data, "content") || !has(data, "provenance") {
		return "", nil
	}
	provenance := data.Lookup("provenance")
	source := new(objectBuilder)
	if provenance.Kind() == ecmajson.Object {
		source = objectFrom(provenance)
	}
	message := new(objectBuilder).string("id", env.legacyID()).string("role", "assistant").
		member("content", data.Lookup("content")).member("source", source.set("kind", ecmajson.Value(`"model"`)).value()).value()
	env.data = objectFrom(data, "content", "provenance").member("message", message).value()
	return UpgradeMessage, nil
}

func (env *legacyEvent) upgradeToolResult() (Upgrade, *Refusal) {
	data := env.data
	if has(data, "message") || !has(data, "callId") || !has(data, "content") || !has(data, "isError") {
		return "", nil
	}
	callID := data.Lookup("callId")
	block := new(objectBuilder).string("type", "tool-result").member("toolCallId", callID).
		member("content", data.Lookup("content")).member("isError", data.Lookup("isError")).value()
	source := new(objectBuilder).string("kind", "tool").member("callId", callID).value()
	message := new(objectBuilder)
	if id, ok := env.toolResultID(); ok {
		message.string("id", id)
	}
	built := message.string("role", "user").member("content", ecmajson.Value("["+string(block)+"]")).member("source", source).value()
	env.data = objectFrom(data, "callId", "content", "isError").member("message", built).value()
	return UpgradeMessage, nil
}

// toolResultID returns the id of an upgraded tool result: derived from its
// number, or that of the message at the start of what it replaces.
func (env *legacyEvent) toolResultID() (string, bool) {
	op := env.surfaceOp
	if op.Lookup("op").Is("replace") && op.Lookup("start").Kind() == ecmajson.Number {
		start, ok := op.Lookup("start").SafeInt()
		id, found := env.ids.byNumber[start]
		return id, ok && found
	}
	return env.legacyID(), true
}

func (env *legacyEvent) legacyID() string {
	return "legacy-message:" + env.session + ":" + strconv.FormatInt(env.env.seq, 10)
}

// messageIDs remembers the ids of tool results, which an upgraded replacement
// inherits; only a tool result can validly be replaced by one.
type messageIDs struct {
	byNumber map[int64]string
}

func (m *messageIDs) note(env *envelope, eventType string) {
	if eventType != TypeToolResult {
		return
	}
	if m.byNumber == nil {
		m.byNumber = make(map[int64]string)
	}
	if op := env.surfaceOp; op.Kind() == ecmajson.Object {
		start, _ := op.Lookup("start").SafeInt()
		delete(m.byNumber, start)
	}
	m.byNumber[env.seq] = env.data.Lookup("message").Lookup("id").Text()
}
