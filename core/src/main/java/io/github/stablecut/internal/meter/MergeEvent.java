package io.github.stablecut.internal.meter;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** An event of Java Flight Recorder: files of checkpoints were merged. Confined to one thread. */
@Name("io.github.stablecut.Merge")
@Label("Merge")
@Description("Files of checkpoints were merged")
@Category("Stablecut")
@StackTrace(false)
public final class MergeEvent extends Event {
  /** How many bytes were written. */
  @Label("Bytes")
  public long bytes;

  /** Not begun. */
  public MergeEvent() {}
}
