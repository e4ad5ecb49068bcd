package io.github.stablecut.examples.cities;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.examples.datacentre.Cable;
import io.github.stablecut.examples.datacentre.Cables;
import io.github.stablecut.examples.datacentre.DataCentreGroup;
import io.github.stablecut.examples.datacentre.Follower;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.web.Signal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Three cities, each a data centre, and the cables between them. Thread-safe. */
final class Cities implements AutoCloseable {
  static final List<String> NAMES = List.of("Oslo", "Nairobi", "Lima");

  private static final List<Integer> ALL = List.of(0, 1, 2);

  /** The number of seats that each city may sell initially. */
  private static final int SEATS = 4;

  private final Cables cables;
  private final List<DataCentreGroup> groups;
  private final List<City> cities;
  private final List<CityReader> readers;
  private final List<Follower> followers = new ArrayList<>();
  private final Signal signal = new Signal();

  /** The content of the page. */
  record View(List<CityView> cities, List<CableView> cables) {}

  /** The cable between two cities. */
  record CableView(int one, int other, Cable state) {}

  private Cities(Cables cables, DataCentreGroup walls, Map<List<Integer>, DataCentreGroup> ends) {
    AtomicLong ids = new AtomicLong();
    this.cables = cables;
    this.groups = Stream.concat(Stream.of(walls), ends.values().stream()).toList();
    this.cities =
        ALL.stream()
            .map(
                number ->
                    new City(
                        number, NAMES.get(number), walls.store(number), ends(number, ends), ids))
            .toList();
    this.readers =
        cities.stream().map(city -> new CityReader(city, NAMES, SEATS * NAMES.size())).toList();
    for (DataCentreGroup group : groups) {
      for (Store store : group.stores()) {
        followers.add(Follower.start(store, Wall.BUCKET, change -> signal.raise()));
      }
    }
  }

  /** The stores of a city at the ends of its cables. */
  private static List<Store> ends(int city, Map<List<Integer>, DataCentreGroup> all) {
    List<Store> ends = new ArrayList<>();
    all.forEach(
        (places, group) -> {
          if (places.contains(city)) {
            ends.add(group.store(places.indexOf(city)));
          }
        });
    return ends;
  }

  /**
   * Opens the stores of all cities in a directory, and divides the seats among them.
   *
   * @param directory empty or missing
   */
  static Cities open(Path directory) {
    Cables cables = new Cables(NAMES.size());
    Map<List<Integer>, DataCentreGroup> opened = new LinkedHashMap<>();
    try {
      for (List<Integer> places : List.of(ALL, List.of(0, 1), List.of(0, 2), List.of(1, 2))) {
        Path below = directory.resolve("group" + opened.size());
        opened.put(places, DataCentreGroup.open(below, cables, places, StoreOptions.defaults()));
      }
    } catch (RuntimeException | Error e) {
      opened.values().forEach(DataCentreGroup::close);
      throw e;
    }
    DataCentreGroup walls = Objects.requireNonNull(opened.remove(ALL));
    Cities cities = new Cities(cables, walls, opened);
    cities.begin();
    return cities;
  }

  private void begin() {
    City first = cities.get(0);
    String welcome = first.post("The concert is on Friday. Who is coming?");
    first.like(welcome);
    CausalToken divided =
        first
            .wall()
            .update(
                Wall.SEATS.increment((long) SEATS * NAMES.size()),
                Wall.SEATS.transfer(SEATS, 1),
                Wall.SEATS.transfer(SEATS, 2));
    for (City city : cities) {
      city.wall().begin(TransactionOptions.defaults().after(divided)).close();
    }
  }

  City city(int number) {
    return cities.get(number);
  }

  /** Raised when the content of the page may have changed. */
  Signal signal() {
    return signal;
  }

  /** Changes the cable between two cities. */
  void setCable(int one, int other, Cable state) {
    cables.set(one, other, state);
    signal.raise();
  }

  /** The current content of the page. */
  View view() {
    List<CableView> states = new ArrayList<>();
    for (int one = 0; one < cities.size(); one++) {
      for (int other = one + 1; other < cities.size(); other++) {
        states.add(new CableView(one, other, cables.get(one, other)));
      }
    }
    return new View(readers.stream().map(CityReader::read).toList(), List.copyOf(states));
  }

  @Override
  public void close() {
    followers.forEach(Follower::close);
    groups.forEach(DataCentreGroup::close);
  }
}
