package io.github.stablecut.object;

import io.github.stablecut.crdt.question.NamedQuestion;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.object.collection.ListType;
import io.github.stablecut.object.collection.MapType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;

/**
 * The object types whose operations a node executes for other nodes, and a server for its clients,
 * by name ({@link io.github.stablecut.option.StoreOptions#withObjectTypes}). Lists and maps need no
 * registration. All nodes of a cluster have the same types, in the same versions. A store in one
 * process needs none. Immutable.
 *
 * <pre>{@code
 * StoreOptions options = StoreOptions.defaults().withObjectTypes(ObjectTypes.of(Account.TYPE));
 * try (ClusterNode node = ClusterNode.join(directory, options, settings)) { ... }
 * }</pre>
 */
public final class ObjectTypes {
  private static final ObjectTypes NONE = new ObjectTypes(Map.of());

  /** The types of this package, which all nodes have. */
  private static final Map<String, ObjectType<?>> OF_COLLECTIONS =
      Map.of(MapType.TYPE.name(), MapType.TYPE, ListType.TYPE.name(), ListType.TYPE);

  private final Map<String, ObjectType<?>> types;

  /** Provides types on the class path, for {@link #onClassPath}. */
  public interface Provider {
    /** The types. */
    List<ObjectType<?>> types();
  }

  private ObjectTypes(Map<String, ObjectType<?>> types) {
    this.types = types;
  }

  /** Returns no types: the reader of an object executes its calls. */
  public static ObjectTypes none() {
    return NONE;
  }

  /**
   * Returns the given types.
   *
   * @throws IllegalArgumentException if two have the same name
   */
  public static ObjectTypes of(ObjectType<?>... types) {
    return of(List.of(types));
  }

  private static ObjectTypes of(List<ObjectType<?>> types) {
    Map<String, ObjectType<?>> byName = new TreeMap<>();
    for (ObjectType<?> type : types) {
      if (OF_COLLECTIONS.containsKey(type.name())) {
        throw new IllegalArgumentException(
            "type %s has the name of a library type: give it another name".formatted(type.name()));
      }
      if (byName.put(type.name(), type) != null) {
        throw new IllegalArgumentException(
            "two object types are named %s: give each its own name".formatted(type.name()));
      }
    }
    return byName.isEmpty() ? NONE : new ObjectTypes(byName);
  }

  /**
   * Returns the types of all {@link Provider}s that {@link ServiceLoader} finds.
   *
   * @throws IllegalArgumentException if two have the same name, or a provider can't be loaded
   */
  public static ObjectTypes onClassPath() {
    List<ObjectType<?>> found = new ArrayList<>();
    try {
      ServiceLoader.load(Provider.class).forEach(provider -> found.addAll(provider.types()));
    } catch (ServiceConfigurationError e) {
      throw new IllegalArgumentException(
          "a provider of object types can't be loaded: %s: correct META-INF/services"
              .formatted(e.getMessage()),
          e);
    }
    return of(found);
  }

  /**
   * Returns the names, versions and operations of the types, as nodes announce them to each other.
   */
  public List<String> descriptions() {
    return types.values().stream().map(ObjectType::description).toList();
  }

  /**
   * Returns whether a process started with these types executes a call: they include its type, in
   * the caller's version.
   */
  public boolean execute(NamedQuestion<?> call) {
    return call.code()
        .filter(code -> code instanceof BoundOperation<?, ?> own && has(own.type()))
        .isPresent();
  }

  /**
   * Returns a call with the code that executes it; empty if these types lack the operation.
   *
   * @throws TypeMismatchException if the type or the operation differs from the caller's
   */
  public Optional<NamedQuestion<?>> find(NamedQuestion<?> call) {
    if (BoundOperation.isAboutLog(call)) {
      return Optional.of(call.with(BoundOperation.log(MapType.TYPE))); // the same for all types
    }
    Optional<ObjectType<?>> found = named(call.type());
    found.ifPresent(type -> check(type, call));
    return found.flatMap(type -> BoundOperation.of(type, call.operation())).map(call::with);
  }

  private static void check(ObjectType<?> type, NamedQuestion<?> call) {
    if (type.version() != call.version()) {
      throw new TypeMismatchException(
          "the caller of %s has version %d of type %s, and the node or server of the object has version %d: use the same classes on both sides"
              .formatted(call, call.version(), type.name(), type.version()));
    }
    Optional<Boolean> isMutator =
        type.operation(call.operation()).map(Operation.MutatorAccessor.class::isInstance);
    if (isMutator.isPresent() && isMutator.get() != call.isMutator()) {
      throw new TypeMismatchException(
          "the caller has %s as %s, and the node or server of the object has it as %s: use the same classes on both sides, and raise the version of a type whose operations changed (withVersion)"
              .formatted(call, kind(call.isMutator()), kind(isMutator.get())));
    }
  }

  private static String kind(boolean isMutator) {
    return isMutator ? "a mutator with a result" : "an operation of another kind";
  }

  private boolean has(ObjectType<?> type) {
    return named(type.name()).filter(known -> known.version() == type.version()).isPresent();
  }

  private Optional<ObjectType<?>> named(String name) {
    ObjectType<?> own = types.get(name);
    return Optional.ofNullable(own == null ? OF_COLLECTIONS.get(name) : own);
  }

  @Override
  public String toString() {
    return descriptions().toString();
  }
}
