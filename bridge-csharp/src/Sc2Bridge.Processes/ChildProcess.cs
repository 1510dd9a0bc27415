using System.Diagnostics;
using System.IO.Pipes;

namespace Sc2Bridge.Processes;

/// <summary>
/// A program that this process started. The program and all processes that it starts end with this process, even if this
/// process is killed. A process that moves to its own process group is an exception: it may continue to run.
/// </summary>
/// <remarks>
/// On Linux and macOS, a <see cref="ProcessGuard"/> ends the program when a pipe to this process closes. On Windows, the
/// program is in a job object. Windows ends the program when the last handle of the job closes.
/// </remarks>
public sealed class ChildProcess : IAsyncDisposable
{
    // A guard ends within milliseconds, unless a signal has suspended it.
    private static readonly TimeSpan GuardTimeout = TimeSpan.FromSeconds(10);

    // How long the last output lines may take after the program has exited.
    private static readonly TimeSpan OutputTimeout = TimeSpan.FromSeconds(2);

    private readonly Process _process;
    private readonly AnonymousPipeServerStream? _lifeline;
    private readonly JobObject? _job;

    private ChildProcess(
        Process process, AnonymousPipeServerStream? lifeline, JobObject? job, Action<string>? onOutputLine, Action<string>? onErrorLine)
    {
        (_process, _lifeline, _job) = (process, lifeline, job);
        Exited = ExitAsync(Task.WhenAll(
            onOutputLine is null ? Task.CompletedTask : LineReader.ReadAsync(process.StandardOutput, onOutputLine),
            onErrorLine is null ? Task.CompletedTask : LineReader.ReadAsync(process.StandardError, onErrorLine)));
    }

    /// <summary>The process id of the program on Windows, and of its guard on Linux and macOS.</summary>
    public int Id => _process.Id;

    /// <summary>The standard input of the program. Close it if the program needs no input.</summary>
    public StreamWriter Input => _process.StandardInput;

    /// <summary>The standard output of the program, if no function receives its lines.</summary>
    public StreamReader Output => _process.StandardOutput;

    /// <summary>
    /// The exit code. The task completes when the program has exited and its output was read. On Linux and macOS, the exit code of a
    /// program that a signal ended is 128 plus the signal's number.
    /// </summary>
    public Task<int> Exited { get; }

    /// <summary>Starts a program.</summary>
    /// <param name="start">The program, its arguments and its environment (see <see cref="ChildEnvironment"/>).</param>
    /// <param name="onOutputLine">Receives each line of standard output. If null, the caller reads <see cref="Output"/>.</param>
    /// <param name="onErrorLine">Receives each line of standard error.</param>
    /// <param name="temporaryFolder">
    /// A folder that the guard deletes after the program has exited, even if this process was killed. Windows has no guard.
    /// </param>
    /// <exception cref="System.ComponentModel.Win32Exception">The program was not found, or cannot be started.</exception>
    public static ChildProcess Start(
        ProcessStartInfo start, Action<string>? onOutputLine, Action<string> onErrorLine, string? temporaryFolder = null)
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
                return new ChildProcess(process, null, job, onOutputLine, onErrorLine);
            }
            catch
            {
                job.Dispose();
                throw;
            }
        }

        // Other programs that start at the same moment may inherit the reading end too. Only the writing end keeps the program alive.
        var lifeline = new AnonymousPipeServerStream(PipeDirection.Out, HandleInheritability.Inheritable);
        try
        {
            var guarded = ProcessGuard.Wrap(start, lifeline.GetClientHandleAsString(), temporaryFolder);
            var process = Process.Start(guarded)!;
            lifeline.DisposeLocalCopyOfClientHandle();
            return new ChildProcess(process, lifeline, null, onOutputLine, onErrorLine);
        }
        catch
        {
            lifeline.Dispose();
            throw;
        }
    }

    /// <summary>Starts to end the program and all processes that it started. <see cref="Exited"/> completes soon afterwards.</summary>
    public void Kill()
    {
        _lifeline?.Dispose();
        _job?.Kill();
    }

    /// <summary>Ends the program and all processes that it started, and waits until they have ended.</summary>
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

    private async Task<int> ExitAsync(Task outputRead)
    {
        await _process.WaitForExitAsync();

        // Ends processes that the program left behind. A guard has already ended them.
        Kill();

        // A process that has left the process group may keep the output open.
        await Task.WhenAny(outputRead, Task.Delay(OutputTimeout));
        return _process.ExitCode;
    }
}
