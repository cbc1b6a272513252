"""The many-process form on several hosts of this machine, as plain processes: for trials and measurements only."""

from .topology import Topology as Topology
