package objectstore

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// An Image is what an encoded image's header says.
type Image struct {
	MediaType     string
	Width, Height int64 // pixels, as stored; orientation metadata is not applied
}

var (
	errNoImage = errors.New("the bytes are no PNG, JPEG, WebP or GIF")
	errCut     = errors.New("the image header is cut")
)

// Sniff reads an encoded image's type and dimensions from its header. It reads
// as much of r as it needs, buffered.
func Sniff(r io.Reader) (Image, error) {
	in := bufio.NewReader(r)
	head, err := in.Peek(30)
	if err != nil && !errors.Is(err, io.EOF) {
		return Image{}, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return sniffPNG(head)
	case bytes.HasPrefix(head, []byte{0xFF, 0xD8, 0xFF}):
		return sniffJPEG(in)
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return sniffGIF(head)
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return sniffWebP(head)
	}
	return Image{}, errNoImage
}

// sniffPNG reads the IHDR chunk, which comes first (PNG specification, 11.2.2).
func sniffPNG(head []byte) (Image, error) {
	if len(head) < 24 {
		return Image{}, errCut
	}
	if string(head[12:16]) != "IHDR" {
		return Image{}, errors.New("the PNG does not start with an IHDR chunk")
	}
	return positive(Image{"image/png", int64(binary.BigEndian.Uint32(head[16:])), int64(binary.BigEndian.Uint32(head[20:]))})
}

// sniffGIF reads the logical screen (GIF89a, 18).
func sniffGIF(head []byte) (Image, error) {
	if len(head) < 10 {
		return Image{}, errCut
	}
	return positive(Image{"image/gif", int64(binary.LittleEndian.Uint16(head[6:])), int64(binary.LittleEndian.Uint16(head[8:]))})
}

// sniffJPEG walks the segments to the first frame header (ITU-T T.81, B.2.2).
func sniffJPEG(in *bufio.Reader) (Image, error) {
	if _, err := in.Discard(2); err != nil {
		return Image{}, errCut
	}
	for {
		marker, err := nextMarker(in)
		if err != nil {
			return Image{}, errCut
		}
		switch {
		case marker == 0x01 || marker >= 0xD0 && marker <= 0xD7: // no length follows
			continue
		case marker == 0xD9 || marker == 0xDA:
			return Image{}, errors.New("the JPEG has no frame header before its data")
		}
		var field [2]byte
		if _, err := io.ReadFull(in, field[:]); err != nil {
			return Image{}, errCut
		}
		length := int(binary.BigEndian.Uint16(field[:]))
		if length < 2 {
			return Image{}, fmt.Errorf("a JPEG segment has the length %d", length)
		}
		if isFrame(marker) {
			return readFrame(in, length)
		}
		if _, err := in.Discard(length - 2); err != nil {
			return Image{}, errCut
		}
	}
}

// isFrame reports whether a marker is a start of frame: SOF0 to SOF15 except for
// the tables and the arithmetic conditioning among their numbers.
func isFrame(marker byte) bool {
	return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
}

func nextMarker(in *bufio.Reader) (byte, error) {
	b, err := in.ReadByte()
	if err != nil {
		return 0, err
	}
	if b != 0xFF {
		return 0, errNoImage
	}
	for b == 0xFF { // fill bytes
		if b, err = in.ReadByte(); err != nil {
			return 0, err
		}
	}
	return b, nil
}

func readFrame(in *bufio.Reader, length int) (Image, error) {
	var f [5]byte // precision, height, width
	if length < 2+len(f) {
		return Image{}, errors.New("the JPEG frame header is too short")
	}
	if _, err := io.ReadFull(in, f[:]); err != nil {
		return Image{}, errCut
	}
	return positive(Image{"image/jpeg", int64(binary.BigEndian.Uint16(f[3:])), int64(binary.BigEndian.Uint16(f[1:]))})
}

// sniffWebP reads the first chunk: lossy, lossless or extended (RFC 9649).
func sniffWebP(head []byte) (Image, error) {
	if len(head) < 30 {
		if len(head) < 25 || string(head[12:16]) != "VP8L" {
			return Image{}, errCut
		}
	}
	image := Image{MediaType: "image/webp"}
	switch string(head[12:16]) {
	case "VP8 ":
		if head[23] != 0x9D || head[24] != 0x01 || head[25] != 0x2A {
			return Image{}, errors.New("the WebP key frame has no start code")
		}
		image.Width = int64(binary.LittleEndian.Uint16(head[26:]) & 0x3FFF)
		image.Height = int64(binary.LittleEndian.Uint16(head[28:]) & 0x3FFF)
	case "VP8L":
		if head[20] != 0x2F {
			return Image{}, errors.New("the lossless WebP has no signature")
		}
		bits := binary.LittleEndian.Uint32(head[21:])
		image.Width = int64(bits&0x3FFF) + 1
		image.Height = int64(bits>>14&0x3FFF) + 1
	case "VP8X":
		image.Width = int64(uint32(head[24])|uint32(head[25])<<8|uint32(head[26])<<16) + 1
		image.Height = int64(uint32(head[27])|uint32(head[28])<<8|uint32(head[29])<<16) + 1
	default:
		return Image{}, errors.New("the WebP starts with none of its image chunks")
	}
	return positive(image)
}

func positive(i Image) (Image, error) {
	if i.Width == 0 || i.Height == 0 {
		return Image{}, fmt.Errorf("the header says %d×%d pixels", i.Width, i.Height)
	}
	return i, nil
}
