package crush

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
)

// magic is what every binary map starts with, as Ceph's does.
const magic = 0x00010000

// Errors of [Unmarshal], in Ceph's words.
const (
	ErrMagic  = refusal("bad magic number: Malformed input")
	ErrBuffer = refusal("End of buffer")
)

// Marshal is the binary form of a map. The same map gives the same bytes.
func (m *Map) Marshal() []byte {
	body, err := json.Marshal(m)
	if err != nil {
		panic("crush: a map is plain data: " + err.Error())
	}
	b := binary.LittleEndian.AppendUint32(nil, magic)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(body))
	return append(b, body...)
}

// Unmarshal reads the binary form. Bytes that are no map give [ErrMagic], a map
// that was cut short or damaged [ErrBuffer].
func Unmarshal(b []byte) (*Map, error) {
	if len(b) < 4 {
		return nil, ErrBuffer
	}
	if binary.LittleEndian.Uint32(b) != magic {
		return nil, ErrMagic
	}
	if len(b) < 8 || binary.LittleEndian.Uint32(b[4:]) != crc32.ChecksumIEEE(b[8:]) {
		return nil, ErrBuffer
	}
	m := &Map{}
	d := json.NewDecoder(bytes.NewReader(b[8:]))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, ErrBuffer
	}
	return m, nil
}
