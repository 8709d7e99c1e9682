#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a KVM host has from its init system, done by hand in the lab: modules, devices, users, keys.
set -e

modprobe kvm_amd || modprobe kvm_intel
chgrp kvm /dev/kvm
chmod 660 /dev/kvm
sysctl -q kernel.numa_balancing=0
hostname lab
printf '127.0.0.1 localhost lab\n' >/etc/hosts

mountpoint -q /dev/hugepages || mount -t hugetlbfs hugetlbfs /dev/hugepages
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup2 /sys/fs/cgroup
ip link set lo up

# dev may use KVM, stranger may not; each with rig's folders of its own.
for user in dev stranger; do
  id "$user" >/dev/null 2>&1 || useradd -m -s /bin/sh "$user"
  mkdir -p "/run/user/$(id -u $user)"
  chown "$user:" "/run/user/$(id -u $user)"
  chmod 700 "/run/user/$(id -u $user)"
done
usermod -aG kvm dev
usermod -aG libvirt dev
for user in dev stranger; do
  mkdir -p "/home/$user/rig"
  cp -a --sparse=always /var/lib/rig "/home/$user/rig/state"
  cp -a --sparse=always /var/cache/rig "/home/$user/rig/cache"
  chown -R "$user:" "/home/$user/rig"
done

# ssh from root to root on this machine, without a question.
mkdir -p /run/sshd /root/.ssh
chmod 700 /root/.ssh
ssh-keygen -q -A
[ -e /root/.ssh/id_ed25519 ] || ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
printf 'Host *\n  StrictHostKeyChecking no\n  LogLevel ERROR\n' >/root/.ssh/config
