using System.Diagnostics;
using System.IO.Pipes;

namespace Sc2Bridge.Processes;

/// <summary>
/// A program that this process started. It ends with this process, even if this process is killed, and so do all processes
/// that it started. A process that moves to a process group of its own is not found.
/// </summary>
/// <remarks>
/// On Linux and macOS a <see cref="ProcessGuard"/> ends it when a pipe to this process closes. On Windows it is in a job
/// object that ends with its last handle.
/// </remarks>
public sealed class ChildProcess : IAsyncDisposable
{
    // A guard needs milliseconds, unless it was stopped.
    private static readonly TimeSpan GuardTimeout = TimeSpan.FromSeconds(10);

    // How long the last lines may take after the program has exited.
    private static readonly TimeSpan OutputTimeout = TimeSpan.FromSeconds(2);

    private readonly Process _process;
    private readonly AnonymousPipeServerStream? _lifeline;
    private readonly JobObject? _job;

    private ChildProcess(
        Process process, AnonymousPipeServerStream? lifeline, JobObject? job, Action<string>? output, Action<string>? errors)
    {
        (_process, _lifeline, _job) = (process, lifeline, job);
        Exited = ExitAsync(Task.WhenAll(
            output is null ? Task.CompletedTask : LineReader.ReadAsync(process.StandardOutput, output),
            errors is null ? Task.CompletedTask : LineReader.ReadAsync(process.StandardError, errors)));
    }

    /// <summary>The number of the process; on Linux and macOS, of its guard.</summary>
    public int Id => _process.Id;

    /// <summary>Its standard input. Close it if the program should read none.</summary>
    public StreamWriter Input => _process.StandardInput;

    /// <summary>Its standard output, if no function takes the lines.</summary>
    public StreamReader Output => _process.StandardOutput;

    /// <summary>
    /// Completes when the program has exited and its output was read, with the exit code. On Linux and macOS this is 128 plus
    /// the signal's number for a program that a signal ended.
    /// </summary>
    public Task<int> Exited { get; }

    /// <summary>Starts a program.</summary>
    /// <param name="start">The program, and its environment (see <see cref="ChildEnvironment"/>).</param>
    /// <param name="output">Receives each line of its standard output. If null, the caller reads <see cref="Output"/>.</param>
    /// <param name="errors">Receives each line of its standard error.</param>
    /// <param name="temporaryFolder">
    /// A folder that the guard deletes after the program, even if this process was killed. Windows has no guard.
    /// </param>
    /// <exception cref="System.ComponentModel.Win32Exception">The program was not found, or cannot be started.</exception>
    public static ChildProcess Start(
        ProcessStartInfo start, Action<string>? output, Action<string> errors, string? temporaryFolder = null)
    {
        ArgumentNullException.ThrowIfNull(start);
        start.UseShellExecute = false;
        start.RedirectStandardInput = start.RedirectStandardOutput = start.RedirectStandardError = true;
        if (OperatingSystem.IsWindows())
        {
            var job = new JobObject();
            try
            {
                var process = Process.Start(start)!;
                job.Add(process);
                return new ChildProcess(process, null, job, output, errors);
            }
            catch
            {
                job.Dispose();
                throw;
            }
        }

        // Other programs that start at the same moment may inherit the reading end. Only the writing end matters.
        var lifeline = new AnonymousPipeServerStream(PipeDirection.Out, HandleInheritability.Inheritable);
        try
        {
            var guarded = ProcessGuard.Around(start, lifeline.GetClientHandleAsString(), temporaryFolder);
            var process = Process.Start(guarded)!;
            lifeline.DisposeLocalCopyOfClientHandle();
            return new ChildProcess(process, lifeline, null, output, errors);
        }
        catch
        {
            lifeline.Dispose();
            throw;
        }
    }

    /// <summary>Begins to end the program and all processes that it started. <see cref="Exited"/> completes soon.</summary>
    public void Kill()
    {
        _lifeline?.Dispose();
        _job?.Kill();
    }

    /// <summary>Ends the program and all processes that it started, and waits for that.</summary>
    public async ValueTask DisposeAsync()
    {
        Kill();
        try
        {
            await Exited.WaitAsync(GuardTimeout);
        }
        catch (TimeoutException)
        {
            _process.Kill(entireProcessTree: true);
            await Exited;
        }

        _job?.Dispose();
        _process.Dispose();
    }

    private async Task<int> ExitAsync(Task read)
    {
        await _process.WaitForExitAsync();

        // Processes that it left behind. A guard has ended them already.
        Kill();

        // One that has left the process group may hold the output open.
        await Task.WhenAny(read, Task.Delay(OutputTimeout));
        return _process.ExitCode;
    }
}
