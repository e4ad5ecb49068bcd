package io.github.stablecut.object;

import io.github.stablecut.Store;
import java.util.OptionalInt;

/**
 * The home of objects: the only data centre in which they are called. Immutable.
 *
 * @param required its number; empty if the objects may be called anywhere
 * @param own the number of this store's data centre
 */
public record HomeDataCentre(OptionalInt required, int own) {
  /** The home of objects that may be called anywhere. */
  static final HomeDataCentre ANYWHERE = new HomeDataCentre(OptionalInt.empty(), 0);

  static HomeDataCentre of(Store store, int required) {
    if (required < 0) {
      throw new IllegalArgumentException(
          "%d is not the number of a data centre: use one of store.dataCentres()"
              .formatted(required));
    }
    return new HomeDataCentre(OptionalInt.of(required), store.dataCentres().own());
  }

  /** Returns the home of objects that are opened in a space. */
  public static HomeDataCentre of(ObjectSpace space) {
    return StoreSpace.originOf(space).map(StoreSpace::home).orElse(ANYWHERE);
  }

  /** Returns the same home for objects of another store. */
  public HomeDataCentre in(ObjectSpace other) {
    return StoreSpace.originOf(other)
        .map(space -> new HomeDataCentre(required, space.store().dataCentres().own()))
        .orElse(this);
  }

  /** Opens an object with this home. */
  public <S> SharedObject<S> open(
      ObjectSpace space, String bucket, String key, ObjectType<S> type, View view) {
    return new SharedObject<>(space, SharedObject.log(bucket, key), type, view, this);
  }

  /**
   * Refuses a call outside the home.
   *
   * @throws WrongDataCentreException if this is another data centre
   */
  void check(Object log) {
    if (required.isPresent() && required.getAsInt() != own) {
      throw new WrongDataCentreException(
          "the home of %s is data centre %d, and this is data centre %d: call its operations there; here it can only be read"
              .formatted(log, required.getAsInt(), own));
    }
  }
}
