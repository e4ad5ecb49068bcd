package io.github.stablecut.internal.meter;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** An event of Java Flight Recorder: a checkpoint was written. Confined to one thread. */
@Name("io.github.stablecut.Checkpoint")
@Label("Checkpoint")
@Description("A checkpoint of a partition was written")
@Category("Stablecut")
@StackTrace(false)
public final class CheckpointEvent extends Event {
  /** How many objects it has. */
  @Label("Objects")
  public long objects;

  /** Not begun. */
  public CheckpointEvent() {}
}
