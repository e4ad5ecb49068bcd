package io.github.stablecut.internal.meter;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The Java Flight Recorder event of a written checkpoint. Confined to one thread. */
@Name("io.github.stablecut.Checkpoint")
@Label("Checkpoint")
@Description("A checkpoint of a partition was written")
@Category("Stablecut")
@StackTrace(false)
public final class CheckpointEvent extends Event {
  /** The number of objects in the checkpoint. */
  @Label("Objects")
  public long objects;

  /** Creates an event that has not begun. */
  public CheckpointEvent() {}
}
