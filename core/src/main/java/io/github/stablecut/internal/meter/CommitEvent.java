package io.github.stablecut.internal.meter;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * The Java Flight Recorder event of a commit, from its start until it is durable. Confined to one
 * thread.
 */
@Name("io.github.stablecut.Commit")
@Label("Commit")
@Description("The time from a commit until it is durable")
@Category("Stablecut")
@StackTrace(false)
public final class CommitEvent extends Event {
  /** The number of partitions that it has written to. */
  @Label("Partitions")
  public int partitions;

  /** Creates an event that has not begun. */
  public CommitEvent() {}
}
