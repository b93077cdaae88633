// Package queue is the work queue of a simulated controller: keys go in, and a
// function is called for each a little later, in virtual time. A key that is
// added several times before its turn has one turn; one whose turn failed gets
// another, later each time.
package queue
