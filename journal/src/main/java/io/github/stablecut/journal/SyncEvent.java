package io.github.stablecut.journal;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A Java Flight Recorder event: a sync made records durable. Confined to one thread. */
@Name("io.github.stablecut.Sync")
@Label("Sync")
@Description("The journal of a partition was synced")
@Category("Stablecut")
@StackTrace(false)
final class SyncEvent extends Event {
  /** The number of frames made durable. */
  @Label("Records")
  long records;

  /** An event that has not begun. */
  SyncEvent() {}
}
