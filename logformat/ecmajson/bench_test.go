package ecmajson

import (
	"strings"
	"testing"
)

func BenchmarkCheck(b *testing.B) {
	long := strings.Repeat("The lamp is lit and the sea is calm tonight. ", 200)
	for name, line := range map[string]string{
		"event":   `{"type":"assistant/chunk","seq":8,"time":1796098055202,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"The lam"}}}`,
		"text":    `{"type":"user/message","data":{"content":[{"type":"text","text":"` + long + `"}]}}`,
		"chinese": `{"text":"` + strings.Repeat("灯塔亮着，海面平静。", 500) + `"}`,
		"row":     `{"type":"text-chunks","seq0":8,"time0":1796098055202,"data":{"turn":1,"step":1,"index":0,"dt":[` + strings.Repeat("0,1,0,", 60) + `0],"texts":["` + strings.Repeat(`The lam","`, 181) + `x"]}}`,
		"numbers": "[" + strings.Repeat("12,3.5,1e-7,", 300) + "0]",
	} {
		b.Run(name, func(b *testing.B) {
			src := []byte(line)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if form, err := Check(src); err != nil || !form.Canonical() {
					b.Fatal(form, err)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	src := []byte(`{"a": {"2":1.0,"1":"é"},"b":[1, 2, 3]}`)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := Append(nil, src); err != nil {
			b.Fatal(err)
		}
	}
}
