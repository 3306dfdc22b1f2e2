"""The report as XML says the same as the plain one."""

from tests.tools.readers.conftest import Read

XML = """\
<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
\t<timestamp>Fri Jun 20 02:23:15 2025</timestamp>
\t<driver_version>550.127.08</driver_version>
\t<cuda_version>12.4</cuda_version>
\t<attached_gpus>2</attached_gpus>
\t<gpu id="00000000:9B:00.0">
\t\t<product_name>NVIDIA H100 80GB HBM3</product_name>
\t\t<persistence_mode>Enabled</persistence_mode>
\t\t<mig_mode>
\t\t\t<current_mig>Disabled</current_mig>
\t\t\t<pending_mig>Disabled</pending_mig>
\t\t</mig_mode>
\t\t<mig_devices>
\t\t\tNone
\t\t</mig_devices>
\t\t<serial>1650000000001</serial>
\t\t<uuid>GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31</uuid>
\t\t<minor_number>0</minor_number>
\t\t<gpu_recovery_action>None</gpu_recovery_action>
\t\t<pci>
\t\t\t<pci_bus_id>00000000:9B:00.0</pci_bus_id>
\t\t\t<pci_gpu_link_info>
\t\t\t\t<pcie_gen>
\t\t\t\t\t<max_link_gen>5</max_link_gen>
\t\t\t\t\t<current_link_gen>5</current_link_gen>
\t\t\t\t</pcie_gen>
\t\t\t\t<link_widths>
\t\t\t\t\t<max_link_width>16x</max_link_width>
\t\t\t\t\t<current_link_width>8x</current_link_width>
\t\t\t\t</link_widths>
\t\t\t</pci_gpu_link_info>
\t\t\t<replay_counter>3</replay_counter>
\t\t</pci>
\t\t<performance_state>P0</performance_state>
\t\t<clocks_event_reasons>
\t\t\t<clocks_event_reason_gpu_idle>Not Active</clocks_event_reason_gpu_idle>
\t\t\t<clocks_event_reason_hw_slowdown>Active</clocks_event_reason_hw_slowdown>
\t\t\t<clocks_event_reason_hw_thermal_slowdown>Active</clocks_event_reason_hw_thermal_slowdown>
\t\t</clocks_event_reasons>
\t\t<fb_memory_usage>
\t\t\t<total>81559 MiB</total>
\t\t\t<used>60000 MiB</used>
\t\t</fb_memory_usage>
\t\t<utilization>
\t\t\t<gpu_util>97 %</gpu_util>
\t\t</utilization>
\t\t<ecc_mode>
\t\t\t<current_ecc>Enabled</current_ecc>
\t\t</ecc_mode>
\t\t<ecc_errors>
\t\t\t<volatile>
\t\t\t\t<sram_correctable>0</sram_correctable>
\t\t\t\t<sram_uncorrectable_parity>1</sram_uncorrectable_parity>
\t\t\t\t<dram_uncorrectable>2</dram_uncorrectable>
\t\t\t</volatile>
\t\t\t<aggregate>
\t\t\t\t<dram_uncorrectable>4</dram_uncorrectable>
\t\t\t\t<sram_threshold_exceeded>No</sram_threshold_exceeded>
\t\t\t</aggregate>
\t\t</ecc_errors>
\t\t<remapped_rows>
\t\t\t<remapped_row_corr>0</remapped_row_corr>
\t\t\t<remapped_row_unc>2</remapped_row_unc>
\t\t\t<remapped_row_pending>Yes</remapped_row_pending>
\t\t\t<remapped_row_failure>No</remapped_row_failure>
\t\t</remapped_rows>
\t\t<temperature>
\t\t\t<gpu_temp>87 C</gpu_temp>
\t\t\t<memory_temp>95 C</memory_temp>
\t\t</temperature>
\t\t<gpu_power_readings>
\t\t\t<power_draw>670.10 W</power_draw>
\t\t\t<current_power_limit>700.00 W</current_power_limit>
\t\t</gpu_power_readings>
\t\t<clocks>
\t\t\t<sm_clock>1200 MHz</sm_clock>
\t\t</clocks>
\t\t<fabric>
\t\t\t<state>Completed</state>
\t\t\t<status>Success</status>
\t\t</fabric>
\t</gpu>
\t<gpu id="00000000:BB:00.0">
\t\t<product_name>Unknown Error</product_name>
\t\t<uuid>Unknown Error</uuid>
\t</gpu>
</nvidia_smi_log>
"""
OLD = """\
<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v10.dtd">
<nvidia_smi_log>
  <driver_version>450.51.06</driver_version>
  <gpu id="00000000:04:00.0"><product_name>Tesla V100</product_name>
    <clocks_throttle_reasons>
      <clocks_throttle_reason_sw_power_cap>Active</clocks_throttle_reason_sw_power_cap>
    </clocks_throttle_reasons>
    <ecc_errors><volatile><double_bit><device_memory>2</device_memory><total>2</total>
    </double_bit></volatile></ecc_errors>
    <power_readings><power_draw>300.00 W</power_draw>
    <power_limit>300.00 W</power_limit></power_readings>
  </gpu>
</nvidia_smi_log>
"""


def test_the_xml_report_is_typed_like_the_plain_one(read: Read) -> None:
    """Names are those of the plain report, which the handbook knows."""
    gpu, lost, host = read(XML).readings

    assert gpu.line == 8
    assert gpu.quotes["pcie_width"] == (31, "<current_link_width>8x</current_link_width>")
    assert {
        "bdf": "0000:9b:00.0", "uuid": "GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31",
        "serial": "1650000000001", "pcie_width": 8, "pcie_width_max": 16, "pcie_generation": 5,
        "pcie_replays": 3, "pstate": "P0", "memory_used_mib": 60000, "utilization_percent": 97,
        "active_clock_reasons": "hw slowdown, hw thermal slowdown", "ecc_mode": "Enabled",
        "ecc_volatile_uncorrectable": 3, "ecc_aggregate_uncorrectable": 4, "remap_pending": True,
        "remap_failure": False, "remapped_uncorrectable": 2, "temperature_c": 87,
        "temperature_memory_c": 95, "power_w": 670.1, "power_limit_w": 700, "sm_clock_mhz": 1200,
        "fabric_state": "Completed", "recovery_action": "None", "lost": False,
        "mig_mode": "Disabled", "driver": "550.127.08",
    }.items() <= gpu.values.items()  # fmt: skip
    assert lost.values["lost"] is True
    assert (host.values["attached"], host.values["gpu_count"]) == (2, 2)
    assert gpu.observed is not None


def test_an_older_report_without_line_breaks_inside_is_typed_too(read: Read) -> None:
    """Volta's names: throttle reasons, double-bit errors whose total is not counted twice."""
    gpu, _ = read(OLD).readings

    assert gpu.values["active_clock_reasons"] == "sw power cap"
    assert gpu.values["ecc_volatile_uncorrectable"] == 2
    assert gpu.values["power_limit_w"] == 300


def test_a_cut_report_still_tells_of_what_came_before_the_cut(read: Read) -> None:
    """Every byte is accounted for at any cut; a GPU is there as soon as its first tag is whole."""
    for stop in range(160, len(XML), 211):
        reads = read(XML[:stop], f"cut{stop}")
        assert reads.accounted("E1") == stop
        gpus = [one for one in reads.readings if one.kind == "gpu"]
        assert len(gpus) == XML[:stop].count('.0">')


def test_tags_that_were_damaged_or_never_closed_do_no_harm(read: Read) -> None:
    """An element whose end is lost ends with the one around it."""
    damaged = XML.replace("</link_widths>", "").replace("</fb_memory_usage>", "</fb_mem")
    gpu, *_ = read(damaged).readings

    assert gpu.values["pcie_width"] == 8
    assert gpu.values["memory_used_mib"] == 60000
    assert gpu.values["pcie_replays"] == 3
    assert read(b"<nvidia_smi_log>" + b"<a>" * 5000 + bytes(range(256)), "deep").evidence
