package io.github.stablecut.examples.bench.type;

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
 * Single operations on objects of many entries. The object stays unchanged, so all operations see
 * the same one. {@code TypesBench} runs them.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TypeOperations {
  /** The object: {@code set}, {@code map} or {@code counter}. */
  @Param("set")
  public String type = "set";

  /** The library: {@code stablecut} or {@code akka}. */
  @Param({"stablecut", "akka"})
  public String library = "stablecut";

  /** The number of entries. */
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
      default -> throw new IllegalArgumentException("unknown target: " + type + " of " + library);
    };
  }

  /** Adds an absent entry; increments a counter. */
  @Benchmark
  public Object add() {
    return target.put(absent.some());
  }

  /** Changes a present entry, or adds it again; increments a counter. */
  @Benchmark
  public Object change() {
    return target.put(present.some());
  }

  /** Removes a present entry; decrements a counter. */
  @Benchmark
  public Object remove() {
    return target.remove(present.some());
  }

  /** Reads a present entry, or the counter. */
  @Benchmark
  public Object get() {
    return target.get(present.some());
  }
}
