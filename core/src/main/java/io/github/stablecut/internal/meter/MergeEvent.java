package io.github.stablecut.internal.meter;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The Java Flight Recorder event of a merge of checkpoint files. Confined to one thread. */
@Name("io.github.stablecut.Merge")
@Label("Merge")
@Description("Files of checkpoints were merged")
@Category("Stablecut")
@StackTrace(false)
public final class MergeEvent extends Event {
  /** The number of bytes written. */
  @Label("Bytes")
  public long bytes;

  /** Creates an event that has not begun. */
  public MergeEvent() {}
}
