package io.github.stablecut.examples.bench;

import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Single operations on objects of many entries; the object stays as it is, so each finds the same.
 * {@link TypesBench} runs them.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TypeOperations {
  /** Which object: {@code set}, {@code map} or {@code counter}. */
  @Param("set")
  public String type = "set";

  /** Whose. */
  @Param({"stablecut", "akka"})
  public String library = "stablecut";

  /** How many entries. */
  @Param({"10", "1000", "10000", "100000", "1000000"})
  public int size;

  private Samples present = Samples.of(1, 'p');
  private Samples absent = present;
  private TypeTarget target = new StablecutTargets.Counter();

  /** Fills the object. */
  @Setup
  public void fill() {
    present = Samples.of(size, 'p');
    absent = Samples.of(size, 'a');
    target = target(present.all());
  }

  private TypeTarget target(List<Bytes> names) {
    return switch (library + " " + type) {
      case "stablecut set" -> new StablecutTargets.Set(names);
      case "stablecut map" -> new StablecutTargets.Map(names);
      case "stablecut counter" -> new StablecutTargets.Counter();
      case "akka set" -> new AkkaTargets.Set(names);
      case "akka map" -> new AkkaTargets.Map(names);
      case "akka counter" -> new AkkaTargets.Counter();
      default -> throw new IllegalArgumentException("there is no " + type + " of " + library);
    };
  }

  /** Adds an entry that is not there; a counter counts up. */
  @Benchmark
  public Object add() {
    return target.put(absent.some());
  }

  /** Adds or changes an entry that is there; a counter counts up. */
  @Benchmark
  public Object change() {
    return target.put(present.some());
  }

  /** Removes an entry that is there; a counter counts down. */
  @Benchmark
  public Object remove() {
    return target.remove(present.some());
  }

  /** Looks an entry up that is there; a counter is read. */
  @Benchmark
  public Object get() {
    return target.get(present.some());
  }
}
