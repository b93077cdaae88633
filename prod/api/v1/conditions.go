package v1

// The types of the conditions in status.conditions. Each is True when what its
// name says is so.
const (
	// ConditionReady: the cluster is as the spec asks. False names what is waited for.
	ConditionReady = "Ready"
	// ConditionProgressing: the operator is at work on the cluster.
	ConditionProgressing = "Progressing"
	// ConditionVersionSupported: the image's Ceph version is known, and it may run (S46-S48).
	ConditionVersionSupported = "VersionSupported"
	// ConditionMonsInQuorum: a majority of the mons is in quorum (S95-S99).
	ConditionMonsInQuorum = "MonsInQuorum"
	// ConditionSurplusMons: more mons run than spec.mon.count asks for; they are
	// removed one by one. Absent where that is not so.
	ConditionSurplusMons = "SurplusMons"
	// ConditionMonFailover: a mon is out of quorum or in a place where it should not be; the message says what is done
	// about it. Absent where that is not so.
	ConditionMonFailover = "MonFailover"
	// ConditionMsgr2Enabled: the mons speak msgr2 (Settled 13, 25). Absent where the release has none.
	ConditionMsgr2Enabled = "Msgr2Enabled"
	// ConditionOSDsReady: every storage node was prepared and its OSDs are up.
	ConditionOSDsReady = "OSDsReady"
	// ConditionUpgradeBlocked: a daemon that is to get the new image may not be stopped yet; the message names it and
	// what blocks it, in Ceph's words. Absent where that is not so.
	ConditionUpgradeBlocked = "UpgradeBlocked"
	// ConditionUpgradeAtRisk: daemons are replaced although Ceph does not say that they may be stopped; the message says
	// why. Absent where that is not so.
	ConditionUpgradeAtRisk = "UpgradeAtRisk"
	// ConditionSpecAdjusted: the operator took another value than the spec's, for example three mons for none (S36-S38).
	ConditionSpecAdjusted = "SpecAdjusted"
	// ConditionUnservedFields: the spec sets fields that this operator does nothing with; the message names them. A warning.
	ConditionUnservedFields = "UnservedFields"
	// ConditionDeletionBlocked: the CephCluster, CephBlockPool or CephFilesystem is to be deleted and something still needs it (S58).
	ConditionDeletionBlocked = "DeletionBlocked"
)

// The reasons of conditions: one word a program can switch on, where the
// message is for a person.
const (
	// ReasonAsExpected: nothing to report.
	ReasonAsExpected = "AsExpected"
	// ReasonWaiting: something that the operator started is not done yet; the message names it.
	ReasonWaiting = "Waiting"
	// ReasonFailed: a step failed and will be tried again; the message holds the error.
	ReasonFailed = "Failed"
	// ReasonCreating and ReasonUpdating: what the operator is at work on (condition Progressing).
	ReasonCreating = "Creating"
	ReasonUpdating = "Updating"
	// ReasonIdentityMissing: the Secret with the cluster's fsid and keys is lost or damaged, and other things of the cluster are still there; the message says what to restore.
	ReasonIdentityMissing = "IdentityMissing"
	// ReasonInvalidSpec: the spec cannot be carried out until the user changes it.
	ReasonInvalidSpec = "InvalidSpec"
	// ReasonUnsupportedVersion: the image's Ceph release needs allowUnsupported (S47).
	ReasonUnsupportedVersion = "UnsupportedVersion"
	// ReasonDowngrade: the image's Ceph release is older than what runs, and cephVersion.allowDowngrade is not set.
	ReasonDowngrade = "Downgrade"
	// ReasonUpgradeTooFar: the image's Ceph release is more than two releases newer than what runs.
	ReasonUpgradeTooFar = "UpgradeTooFar"
	// ReasonUpgradeBlocked: a daemon may not be stopped before others run the new image (condition UpgradeBlocked).
	ReasonUpgradeBlocked = "UpgradeBlocked"
	// ReasonNotOkToStop: a daemon may not be stopped, as Ceph says (condition UpgradeBlocked).
	ReasonNotOkToStop = "NotOkToStop"
	// ReasonOutOfQuorum: a mon is out of quorum, and is replaced if it stays so (condition MonFailover).
	ReasonOutOfQuorum = "OutOfQuorum"
	// ReasonReplacing: another mon is taking the place of one (condition MonFailover).
	ReasonReplacing = "Replacing"
	// ReasonNoNode: a mon should be replaced, and there is no node for another; it is kept (condition MonFailover).
	ReasonNoNode = "NoNode"
	// ReasonNotReplaced: a mon should be replaced, and that is switched off or would endanger the quorum; it is kept (condition MonFailover).
	ReasonNotReplaced = "NotReplaced"
	// ReasonHostPathInUse: another cluster uses the host path on that node (Settled 21).
	ReasonHostPathInUse = "HostPathInUse"
	// ReasonSecondCluster: the namespace already has a CephCluster, or another one uses all devices (S18, S40).
	ReasonSecondCluster = "SecondCluster"
	// ReasonNoCluster: the namespace has no CephCluster.
	ReasonNoCluster = "NoCluster"
	// ReasonClusterNotReady: the pool or file system waits for the CephCluster of its namespace.
	ReasonClusterNotReady = "ClusterNotReady"
	// ReasonPoolNotEmpty: the pool holds objects, which would be lost with it.
	ReasonPoolNotEmpty = "PoolNotEmpty"
	// ReasonCrushUpdatesDisabled: the pool keeps a crush rule that differs from the spec (enableCrushUpdates).
	ReasonCrushUpdatesDisabled = "CrushUpdatesDisabled"
	// ReasonOSDsNotHealthy: OSDs are down or out, or stand on nodes that were taken out; the message says which, where, and what to do.
	ReasonOSDsNotHealthy = "OSDsNotHealthy"
	// ReasonNotDone: something that the spec asks for is not done on purpose; the message says what and why.
	ReasonNotDone = "NotDone"
	// ReasonTimedOut: the state has lasted for 60 minutes; the operator goes on trying (S51, Settled 23).
	ReasonTimedOut = "TimedOut"
	// ReasonFieldsKept: fields are kept and not served.
	ReasonFieldsKept = "FieldsKept"
)
