using System.Diagnostics;
namespace Sc2Bridge.Testing;

/// <summary>A second machine whose link can be cut: a network namespace of Linux. Needs root.</summary>
public sealed class FarMachine : IAsyncDisposable
{
    private static int _made;

    private readonly string _name = $"sc2t{Environment.ProcessId % 100_000}{Interlocked.Increment(ref _made)}";
    private readonly string _block = $"10.{200 + (Environment.ProcessId % 50)}.{Environment.ProcessId / 50 % 250}";
    private readonly int _first = 4 * (_made % 60);
    private readonly List<Process> _programs = [];

    private FarMachine()
    {
    }

    /// <summary>This machine's address on the link.</summary>
    public string Here => $"{_block}.{_first + 1}";

    /// <summary>Creates the machine. Skips the test if that is not possible.</summary>
    public static async Task<FarMachine> MakeAsync()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "needs network namespaces: root on Linux");
        var made = new FarMachine();
        Assert.SkipUnless(await IpAsync("netns", "add", made._name) == 0, "no network namespace can be made here");
        if (await IpAsync("netns", "exec", made._name, "true") != 0)
        {
            await made.DisposeAsync();
            Assert.Skip("no program can be started in a network namespace here");
        }

        var (near, far) = ($"{made._name}a", $"{made._name}b");
        await made.DoAsync("link", "add", near, "type", "veth", "peer", "name", far, "netns", made._name);
        await made.DoAsync("addr", "add", $"{made.Here}/30", "dev", near);
        await made.DoAsync("link", "set", near, "up");
        await made.DoAsync("-n", made._name, "addr", "add", $"{made._block}.{made._first + 2}/30", "dev", far);
        await made.DoAsync("-n", made._name, "link", "set", far, "up");
        return made;
    }

    /// <summary>Runs Python there, until the machine is disposed. Returns its output.</summary>
    /// <param name="code">The program.</param>
    /// <param name="arguments">Its arguments.</param>
    public StreamReader Python(string code, params string[] arguments)
    {
        var program = Process.Start(new ProcessStartInfo("ip", ["netns", "exec", _name, "python3", "-c", code, .. arguments])
        {
            RedirectStandardOutput = true,
        })!;
        _programs.Add(program);
        return program.StandardOutput;
    }

    /// <summary>Cuts its link.</summary>
    public Task VanishAsync() => DoAsync("-n", _name, "link", "set", $"{_name}b", "down");

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (var program in _programs)
        {
            program.Kill(entireProcessTree: true);
            program.Dispose();
        }

        await IpAsync("netns", "del", _name);
    }

    private async Task DoAsync(params string[] arguments)
    {
        if (await IpAsync(arguments) != 0)
        {
            await DisposeAsync();
            Assert.Fail($"ip {string.Join(' ', arguments)} failed");
        }
    }

    private static async Task<int> IpAsync(params string[] arguments)
    {
        using var ip = Process.Start("ip", arguments);
        await ip.WaitForExitAsync(Ct);
        return ip.ExitCode;
    }
}
