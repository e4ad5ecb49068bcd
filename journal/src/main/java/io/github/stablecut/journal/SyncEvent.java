package io.github.stablecut.journal;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** An event of Java Flight Recorder: records were made durable. Confined to one thread. */
@Name("io.github.stablecut.Sync")
@Label("Sync")
@Description("The journal of a partition was synced")
@Category("Stablecut")
@StackTrace(false)
final class SyncEvent extends Event {
  /** How many records were made durable. */
  @Label("Records")
  long records;

  /** Not begun. */
  SyncEvent() {}
}
