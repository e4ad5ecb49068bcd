package io.github.stablecut.internal.meter;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** An event of Java Flight Recorder: a commit until it was durable. Confined to one thread. */
@Name("io.github.stablecut.Commit")
@Label("Commit")
@Description("From a commit to its being durable")
@Category("Stablecut")
@StackTrace(false)
public final class CommitEvent extends Event {
  /** How many partitions it has written to. */
  @Label("Partitions")
  public int partitions;

  /** Not begun. */
  public CommitEvent() {}
}
