using System.Diagnostics;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>Another process of this executable.</summary>
internal sealed class OwnProcess : IAsyncDisposable
{
    private readonly Process _process;
    private readonly Task<string> _errors;

    private OwnProcess(Process process)
    {
        _process = process;
        _errors = process.StandardError.ReadToEndAsync();
    }

    public static OwnProcess Start(params string[] arguments)
    {
        // Run by its own host or by `dotnet`, which then wants to be told the assembly.
        var path = Environment.ProcessPath!;
        string[] all = Path.GetFileNameWithoutExtension(path) == "dotnet"
            ? [typeof(OwnProcess).Assembly.Location, .. arguments]
            : arguments;
        return new OwnProcess(Process.Start(new ProcessStartInfo(path, all)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!);
    }

    /// <summary>The next line that it writes.</summary>
    /// <exception cref="MeasuringException">It ended instead.</exception>
    public async Task<string> ReadLineAsync(CancellationToken ct) =>
        await _process.StandardOutput.ReadLineAsync(ct)
        ?? throw new MeasuringException($"a process of the benchmark failed: {(await _errors).Trim()}");

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        await _process.WaitForExitAsync();
        _process.Dispose();
    }
}
