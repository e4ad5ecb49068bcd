package io.github.stablecut.internal.meter;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/**
 * An event of Java Flight Recorder: a reader waited while an object was made that was not in
 * memory. Of those that take no time nothing is recorded. Confined to one thread.
 */
@Name("io.github.stablecut.Read")
@Label("Slow read")
@Description("An object that was not in memory was made for a reader")
@Category("Stablecut")
@Threshold("10 ms")
public final class ReadEvent extends Event {
  /** Bucket and key. */
  @Label("Object")
  public String object = "";

  /** Not begun. */
  public ReadEvent() {}
}
