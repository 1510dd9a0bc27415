using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Sc2Bridge.Processes;

/// <summary>
/// A job object of Windows. Its processes, and all processes that they start, end when the last handle of the job closes
/// (https://learn.microsoft.com/windows/win32/procthread/job-objects).
/// </summary>
internal sealed partial class JobObject : IDisposable
{
    private const int ExtendedLimitInformation = 9;
    private const uint KillOnJobClose = 0x2000;

    private readonly SafeFileHandle _handle;

    internal JobObject()
    {
        _handle = Create(0, null);
        var limits = new ExtendedLimits { Basic = { LimitFlags = KillOnJobClose } };
        if (_handle.IsInvalid || !Set(_handle, ExtendedLimitInformation, in limits, Marshal.SizeOf<ExtendedLimits>()))
        {
            throw new Win32Exception();
        }
    }

    /// <summary>Adds a process. Processes that it started before this call are not in the job.</summary>
    /// <exception cref="Win32Exception">The system refuses the process. The process was killed.</exception>
    internal void Add(Process process)
    {
        if (!Assign(_handle, process.SafeHandle) && !process.HasExited)
        {
            var refused = new Win32Exception();
            process.Kill(entireProcessTree: true);
            throw refused;
        }
    }

    /// <summary>Kills every process in the job.</summary>
    internal void Kill()
    {
        if (!_handle.IsClosed)
        {
            Terminate(_handle, 1);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _handle.Dispose();

    [LibraryImport("kernel32", EntryPoint = "CreateJobObjectW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    private static partial SafeFileHandle Create(nint attributes, string? name);

    [LibraryImport("kernel32", EntryPoint = "SetInformationJobObject", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool Set(SafeFileHandle job, int kind, in ExtendedLimits limits, int size);

    [LibraryImport("kernel32", EntryPoint = "AssignProcessToJobObject", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool Assign(SafeFileHandle job, SafeProcessHandle process);

    [LibraryImport("kernel32", EntryPoint = "TerminateJobObject")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool Terminate(SafeFileHandle job, uint exitCode);

    [StructLayout(LayoutKind.Sequential)]
    private struct BasicLimits
    {
        public long ProcessTime;
        public long JobTime;
        public uint LimitFlags;
        public nuint MinimumWorkingSet;
        public nuint MaximumWorkingSet;
        public uint ActiveProcesses;
        public nuint Affinity;
        public uint PriorityClass;
        public uint SchedulingClass;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct ExtendedLimits
    {
        public BasicLimits Basic;
        public IoCounters Io;
        public nuint ProcessMemory;
        public nuint JobMemory;
        public nuint PeakProcessMemory;
        public nuint PeakJobMemory;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct IoCounters
    {
        public ulong Reads;
        public ulong Writes;
        public ulong Others;
        public ulong ReadBytes;
        public ulong WrittenBytes;
        public ulong OtherBytes;
    }
}
