"""What may be run at all."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.commands import Command
from tools.errors import CommandRefusedError
from tools.grammar import PROGRAMS

MUTATING = """\
nvidia-smi --gpu-reset
nvidia-smi -r -i 0
nvidia-smi -q --gpu-reset
nvidia-smi -pm 1
nvidia-smi -e 0
nvidia-smi -p 0
nvidia-smi -mig 1
nvidia-smi drain -p 0000:9b:00.0 -m 1
perfquery -R
perfquery -x -R 3 1
perfquery --Reset_only
dmesg -C
dmesg -c
dmesg --clear
dmesg --read-clear
dmesg -n 1
dmesg --console-off
journalctl --vacuum-size=1M
journalctl --vacuum-time=1s
journalctl --vacuum-files=1
journalctl --rotate
journalctl --flush
journalctl --sync
journalctl --relinquish-var
journalctl --setup-keys
journalctl --update-catalog
journalctl -o export --rotate
journalctl --cursor-file=/etc/passwd
journalctl -f
journalctl --file=../../etc/shadow
journalctl -D /var/log/../../etc
kubectl exec pod -- sh
kubectl exec -it pod -- nvidia-smi
kubectl delete pod x
kubectl apply -f x.yaml
kubectl create -f x.yaml
kubectl replace -f x.yaml
kubectl patch node n -p {}
kubectl edit node n
kubectl label node n a=b
kubectl annotate node n a=b
kubectl taint node n a=b:NoSchedule
kubectl cordon n1
kubectl uncordon n1
kubectl drain n1
kubectl scale deployment x --replicas=0
kubectl rollout restart deployment/x
kubectl rollout undo deployment/x
kubectl debug node/n1
kubectl cp a:b c
kubectl attach x
kubectl port-forward x 80
kubectl proxy
kubectl run x --image=y
kubectl config view --raw
kubectl config use-context x
kubectl config set-context x
kubectl get secrets
kubectl get secret x -o yaml
kubectl get pods,secrets -A
kubectl get configmaps
kubectl describe secret x
kubectl get pods -o jsonpath={.items}
kubectl get pods -o go-template-file=/etc/passwd
kubectl get pods --watch
kubectl get pods --as=root
kubectl get pods --token=abc
kubectl get pods --server=http://evil
kubectl get pods -v=9
kubectl get --raw=/api/v1/secrets
kubectl get --raw /api/v1/secrets
kubectl get --raw=/api/v1/namespaces/x/secrets
kubectl get --raw=/api/v1/namespaces/x/secrets/y
kubectl get --raw=/api/v1/namespaces/x/configmaps
kubectl get --raw=/api/v1/nodes/n1/proxy/run
kubectl get --raw=/api/v1/nodes/n1/proxy/logs/
kubectl get --raw=/api/v1/nodes/n1:10250/proxy/pods
kubectl get --raw=/api/v1/namespaces/x/pods/y/proxy/
kubectl get --raw=/api/v1/namespaces/x/pods/y/exec?command=sh
kubectl get --raw=/api/v1/namespaces/x/services/y/proxy/
kubectl get --raw=/api/v1/pods/../secrets
kubectl get --raw=/api/v1/pods?watch=1
kubectl get --raw=/api/v1/pods?limit=500/../../secrets
kubectl get --raw=/apis/rbac.authorization.k8s.io/v1/clusterroles
kubectl get --raw=/metrics
kubectl get --raw=/debug/pprof/profile
kubectl get --raw=http://evil/
kubectl get --raw=/api/v1/pods -f x
kubectl logs -f x
kubectl logs x --follow
kubectl auth reconcile -f x
kubectl auth can-i --list --as=root
kubectl auth can-i delete pods
kubectl version --context=-x
kubectl
systemctl restart kubelet
systemctl stop docker
systemctl show --property=Environment kubelet --now
systemctl kill x
systemctl daemon-reload
systemctl isolate rescue
docker rm x
docker restart 0123456789ab
docker exec 0123456789ab sh
docker kill 0123456789ab
docker run x
docker system prune
docker events
docker logs -f 0123456789ab
crictl rm 0123456789ab
crictl stop 0123456789ab
crictl exec 0123456789ab sh
crictl rmi --prune
ssh n1 reboot
ssh n1 firstfault collect
ssh n1 firstfault collect --out /etc/passwd
ssh -o ProxyCommand=sh n1 firstfault collect --out -
ssh -o LocalCommand=sh n1 firstfault collect --out -
ssh -o=BatchMode=yes n1 firstfault diagnose --out -
ssh n1 firstfault collect --out - ; reboot
scontrol update nodename=n1 state=down
scontrol reboot n1
scontrol requeue 1
scontrol show node n1 update
scontrol -d show job 1 --oneliner
scontrol write batch_script 1
scontrol reconfigure
scontrol show assoc_mgr
scancel 1
scancel --state=PENDING
sbatch x.sh
srun hostname
sacctmgr delete user x
sdiag -r
sdiag --reset
env TZ=UTC scontrol update nodename=n1 state=down
env TZ=UTC scancel 1
env TZ=UTC sh -c reboot
env TZ=UTC LD_PRELOAD=/x sinfo -R
env LD_PRELOAD=/x sinfo -R
env sinfo -R
dcgmi diag -r 1
dcgmi diag -r 3 -j
dcgmi health -s a
dcgmi health --set a
dcgmi health --clear
dcgmi health -c --clear
dcgmi health
dcgmi stats -e
dcgmi stats -d
dcgmi stats --jstart 1
dcgmi stats -s 1
dcgmi stats -x 1
dcgmi stats -r 1
dcgmi stats -a
dcgmi stats -j 1 -a
dcgmi config --set -P 300
dcgmi policy --set 0,0
dcgmi group -c x
dcgmi discovery --host other -l
dcgmi set --detach-driver
scontrol show config extra-=x
sinfo --convert
chronyc makestep
chronyc -n burst 1/1
timedatectl set-time now
rdma link delete x
rdma link add x type rxe
ip link set eth0 down
ip addr flush dev eth0
ip -s link set eth0 down
ethtool -K eth0 tso off
ethtool -r eth0
lspci -s 0000:9b:00.0 -w
setpci -s 0 0
ibstat --x
ibportstate 1 1 reset
perfquery -r
perfquery -a -R
perfquery 3 1 0xffff
perfquery 3 1
rdma statistic qp set link mlx5_0 auto type on
rdma dev set mlx5_0 name x
rdma system set netns exclusive
grep -rH . /etc/shadow
grep -rH . /sys/class/infiniband/../../../etc
grep -r root /sys/class/infiniband/mlx5_0/ports/1/counters
nfsstat -z
df --output=/x
df /data; reboot
stat -f
umount /data
mount -o remount /data
dd if=/dev/zero of=/dev/sda
rm -rf /
sh -c reboot
bash
python3 -c 1
uname --x
dpkg-query -W --admindir=/x
rpm -e kernel
rpm -qa --pipe sh
squeue --clusters=x
sacct --delete
""".splitlines()  # fmt: skip

READ_ONLY = """\
nvidia-smi -q
nvidia-smi topo -m
dmesg --kernel -x --time-format=iso
journalctl -o export -q --no-pager --since=@1750384800 _TRANSPORT=kernel
journalctl --directory=/var/log/journal -n 100 -u kubelet --grep=a|b
kubectl get --raw=/api/v1/pods?limit=500&resourceVersion=0
kubectl get --raw=/api/v1/pods?limit=500&continue=eyJ2%3D
kubectl get --raw=/apis/apps/v1/replicasets?limit=500&resourceVersion=0 --context=admin@astra
kubectl get --raw /version
kubectl describe node gpu-node-003
kubectl logs trainer-0 -n train -c trainer --timestamps --previous --since-time=2025-06-20T02:00:00Z
kubectl rollout history deployment/x -n y
kubectl auth can-i --list
kubectl top nodes
df -h /data
df -i -l -P
lspci -vv -D
docker inspect 0123456789ab
scontrol show node n1
scontrol show config
scontrol -d show job
scontrol -d show job 1234_7
env TZ=UTC sinfo -R
env TZ=UTC sinfo -N -l
env TZ=UTC squeue -l -a
env TZ=UTC sacct -a -D -P --starttime=uts1750384800 --endtime=uts1750388400 -N gpu-n[01-04]
sdiag
dcgmi discovery -l
dcgmi health -c -g 0
dcgmi health -f -g 0
dcgmi stats -v -j 1234
rdma statistic show
perfquery -x -C mlx5_0 -P 1
grep -rH . /sys/class/infiniband/mlx5_0/ports/1/hw_counters
systemctl show --property=ActiveState kubelet
""".splitlines()


@pytest.mark.parametrize("line", MUTATING)
def test_what_changes_anything_cannot_be_built(line: str) -> None:
    with pytest.raises(CommandRefusedError):
        Command(tuple(line.split()))


@pytest.mark.parametrize("line", READ_ONLY)
def test_what_only_looks_can_be_built(line: str) -> None:
    assert str(Command(tuple(line.split())))


def test_an_empty_argv_cannot_be_built() -> None:
    with pytest.raises(CommandRefusedError):
        Command(())


_WORDS = sorted({word for line in MUTATING for word in line.split()[1:] if word.startswith("-")})


@pytest.mark.uncounted
@settings(max_examples=400, deadline=None)
@given(st.sampled_from(READ_ONLY), st.sampled_from(_WORDS), st.integers(0, 12))
def test_a_mutating_flag_never_slips_in_among_allowed_ones(
    line: str, word: str, where: int
) -> None:
    argv = line.split()
    argv.insert(1 + where % len(argv), word)
    flags = {flag for shape in PROGRAMS[argv[0]] for flag in shape.flags}
    if word.partition("=")[0] in flags or word in {w for s in PROGRAMS[argv[0]] for w in s.words}:
        return
    taken_as_value = argv[argv.index(word) - 1] in {"-c", "-n", "-u"}
    try:
        Command(tuple(argv))
    except CommandRefusedError:
        return
    assert taken_as_value


def test_the_reader_of_nvml_is_the_only_python_that_runs() -> None:
    assert Command(
        (sys.executable, "-m", "tools.probes.nvml_reader", "--watch-s=2", "--proc=/proc")
    )
    for rest in (("-c", "1"), ("-m", "http.server"), ("-m", "tools.probes.nvml_reader", "x"), ()):
        with pytest.raises(CommandRefusedError):
            Command((sys.executable, *rest))


def test_a_command_reads_as_a_shell_would_take_it_back() -> None:
    command = Command(("journalctl", "--grep=it's|so", "-q"))

    assert str(command) == "journalctl '--grep=it'\"'\"'s|so' -q"
