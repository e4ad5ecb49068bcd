package io.github.stablecut.examples.ycsb;

import java.util.Properties;

/** The workloads of YCSB, whose files are not in its jar. */
enum Letter {
  /** Half updates. */
  A("readproportion=0.5 updateproportion=0.5 requestdistribution=zipfian"),
  /** Few updates. */
  B("readproportion=0.95 updateproportion=0.05 requestdistribution=zipfian"),
  /** Reads only. */
  C("readproportion=1 requestdistribution=zipfian"),
  /** Reads of new records. */
  D("readproportion=0.95 insertproportion=0.05 requestdistribution=latest"),
  /** Short scans. */
  E("scanproportion=0.95 insertproportion=0.05 requestdistribution=zipfian maxscanlength=100"),
  /** Half reads followed by updates of the same records. */
  F("readproportion=0.5 readmodifywriteproportion=0.5 requestdistribution=zipfian");

  private final String settings;

  Letter(String settings) {
    this.settings = settings;
  }

  /** The properties of a workload with records of ten fields of 100 bytes. */
  Properties properties(int records) {
    Properties properties = new Properties();
    for (String zero : new String[] {"read", "update", "insert", "scan", "readmodifywrite"}) {
      properties.setProperty(zero + "proportion", "0");
    }
    for (String setting : settings.split(" ", -1)) {
      int equals = setting.indexOf('=');
      properties.setProperty(setting.substring(0, equals), setting.substring(equals + 1));
    }
    properties.setProperty("recordcount", "" + records);
    properties.setProperty("operationcount", "" + Integer.MAX_VALUE);
    properties.setProperty("writeallfields", "true");
    return properties;
  }
}
