package io.github.stablecut.internal.meter;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/**
 * The Java Flight Recorder event of a slow read: a reader waited for an object that was not in
 * memory to be materialized. Short waits are not recorded. Confined to one thread.
 */
@Name("io.github.stablecut.Read")
@Label("Slow read")
@Description("An object that was not in memory was materialized for a reader")
@Category("Stablecut")
@Threshold("10 ms")
public final class ReadEvent extends Event {
  /** The object's bucket and key. */
  @Label("Object")
  public String object = "";

  /** Creates an event that has not begun. */
  public ReadEvent() {}
}
