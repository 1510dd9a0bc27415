using System.Globalization;

namespace Sc2Bridge.GameApi.Tests.Client;

public sealed class FreePortsTests
{
    [Fact]
    public void A_port_stays_locked_for_other_processes_while_its_program_starts()
    {
        var ports = FreePorts.Find(4);
        Assert.Equal(4, ports.Distinct().Count());
        Assert.All(ports, port => Assert.Throws<IOException>(() => File.OpenWrite(Lock(port)).Dispose()));

        FreePorts.Find(64);
        Assert.All(ports, port => Assert.False(File.Exists(Lock(port))));
    }

    private static string Lock(int port) => Path.Combine(
        Path.GetTempPath(), $"sc2bridge-ports-{Environment.UserName}", port.ToString(CultureInfo.InvariantCulture));
}
