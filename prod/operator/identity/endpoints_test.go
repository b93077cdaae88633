package identity

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// The seed's ConfigMap to the byte (S80).
func seedData() map[string]string {
	return map[string]string{
		"data":     "a=10.200.33.128:6789",
		"maxMonId": "0",
		"mapping":  `{"node":{"a":{"Name":"master-node","Hostname":"master-node","Address":"192.168.72.106"}},"port":{}}`,
	}
}

func seedEndpoints() Endpoints {
	return Endpoints{
		Mons: map[string]pass.Mon{"a": {
			Name: "a", Endpoint: "10.200.33.128:6789",
			Node: &pass.MonNode{Name: "master-node", Hostname: "master-node", Address: "192.168.72.106"},
		}},
		Ports: map[string]int32{},
	}
}

func TestEncode(t *testing.T) {
	many := Endpoints{MaxMonID: 27, Ports: map[string]int32{"n": 6790}, Mons: map[string]pass.Mon{}}
	for _, name := range []string{"ab", "z", "b"} {
		many.Mons[name] = pass.Mon{Name: name, Endpoint: "10.0.0.1:6789"}
	}
	for name, c := range map[string]struct {
		in   Endpoints
		want map[string]string
	}{
		"the seed's": {seedEndpoints(), seedData()},
		"no mons":    {Endpoints{MaxMonID: -1}, map[string]string{"data": "", "maxMonId": "-1", "mapping": `{"node":{},"port":{}}`}},
		"in the order of their ids": {many, map[string]string{
			"data": "b=10.0.0.1:6789,z=10.0.0.1:6789,ab=10.0.0.1:6789", "maxMonId": "27", "mapping": `{"node":{},"port":{"n":6790}}`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Encode(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecode(t *testing.T) {
	with := func(key, value string) map[string]string {
		data := seedData()
		data[key] = value
		return data
	}
	unplaced := seedEndpoints()
	unplaced.Mons["a"] = pass.Mon{Name: "a", Endpoint: "10.200.33.128:6789"}
	raised := seedEndpoints()
	raised.MaxMonID = 7
	for name, c := range map[string]struct {
		data       map[string]string
		want       Endpoints
		complaints int
		fails      string
	}{
		"the seed's":                 {seedData(), seedEndpoints(), 0, ""},
		"nothing recorded":           {nil, Endpoints{Mons: map[string]pass.Mon{}, MaxMonID: -1, Ports: map[string]int32{}}, 0, ""},
		"blanks and a stray comma":   {with("data", " a=10.200.33.128:6789 ,"), seedEndpoints(), 0, ""},
		"a higher id was given out":  {with("maxMonId", "7"), raised, 0, ""},
		"maxMonId is below the mons": {with("maxMonId", "-1"), seedEndpoints(), 0, ""},
		"maxMonId is garbage":        {with("maxMonId", "many"), seedEndpoints(), 1, ""},
		"maxMonId is impossible":     {with("maxMonId", "-5"), seedEndpoints(), 1, ""},
		"mapping is garbage":         {with("mapping", `{"node":`), unplaced, 1, ""},
		"mapping is null":            {with("mapping", "null"), unplaced, 0, ""},
		"a node without hostname":    {with("mapping", `{"node":{"a":{"Name":"x"},"b":null}}`), unplaced, 0, ""},
		"a mon without address":      {with("data", "a"), Endpoints{}, 0, `"a" is not of the form`},
		"no port":                    {with("data", "a=10.0.0.1"), Endpoints{}, 0, `"a=10.0.0.1" has no address`},
		"no IP (B11)":                {with("data", "a=None:6789"), Endpoints{}, 0, `"a=None:6789" has no address`},
		"port 0":                     {with("data", "a=10.0.0.1:0"), Endpoints{}, 0, "has no address"},
		"no mon's name":              {with("data", "A1=10.0.0.1:6789"), Endpoints{}, 0, "is not of the form"},
		"twice":                      {with("data", "a=10.0.0.1:6789,a=10.0.0.2:6789"), Endpoints{}, 0, "mon a is listed twice"},
	} {
		t.Run(name, func(t *testing.T) {
			got, complaints, err := Decode(c.data)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(complaints) != c.complaints {
				t.Errorf("complaints %q", complaints)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for id, want := range map[int]string{-1: "", 0: "a", 1: "b", 25: "z", 26: "aa", 27: "ab", 51: "az", 52: "ba", 701: "zz", 702: "aaa"} {
		if got := MonName(id); got != want {
			t.Errorf("MonName(%d) = %q, want %q", id, got, want)
		}
	}
	for _, name := range []string{"", "A", "a1", "a-b", "ä", "abcdefg"} {
		if _, ok := MonID(name); ok {
			t.Errorf("MonID(%q) is ok", name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.IntRange(0, 1_000_000).Draw(t, "id")
		if back, ok := MonID(MonName(id)); !ok || back != id {
			t.Errorf("MonID(MonName(%d)) = %d, %v", id, back, ok)
		}
	})
}

func TestAnEndpointThatIsNoIPIsNeverStored(t *testing.T) {
	for _, endpoint := range []string{"None:6789", "mon-a.example:6789", ":6789", "10.0.0.1"} {
		if data, err := Encode(Endpoints{Mons: map[string]pass.Mon{"a": {Name: "a", Endpoint: endpoint}}}); err == nil {
			t.Errorf("%s: stored as %v", endpoint, data)
		}
	}
}
