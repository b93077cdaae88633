package explore

import (
	"fmt"
	"time"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

// Story is something that happens to a cluster.
type Story struct {
	Name string
	// Meaning is a line that says what happens.
	Meaning string
	// Begin brings the world to where the story starts. No fault happens in it.
	Begin func(w world.World) error
	// Act is what happens.
	Act func(w world.World) error
	// Settled says whether all that follows has come about, without a fault.
	Settled func(w world.World) error
	// Within is how long that may take without a fault.
	Within time.Duration
	// QuorumMayGo says that the story itself ends the mons.
	QuorumMayGo bool
}

// Stories are all stories.
func Stories() []Story {
	return []Story{bringUp(), nodeAdded(), monFailOver(), imageUpgrade(), specEdit(), deletion()}
}

// Named finds stories by their names; all of them if there is no name.
func Named(names []string) ([]Story, error) {
	if len(names) == 0 {
		return Stories(), nil
	}
	var out []Story
	for _, n := range names {
		s, err := named(n)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func named(name string) (Story, error) {
	var all []string
	for _, s := range Stories() {
		if s.Name == name {
			return s, nil
		}
		all = append(all, s.Name)
	}
	return Story{}, fmt.Errorf("there is no story %q; there are %q", name, all)
}
