package io.github.stablecut.internal.partition;

import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.journal.Journal;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What has one order on a partition: under the lock, which is held for memory operations only, a
 * record gets its time, its effects their place in the index, and the record its place in the
 * journal.
 */
record Sequencer(
    ReentrantLock lock,
    StableTime times,
    ObjectIndex index,
    Journal journal,
    Certifier certifier,
    SessionTable sessions,
    Progress progress) {}
