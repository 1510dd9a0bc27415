using System.ComponentModel;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Server;

/// <summary>What a Unix socket can do that .NET has no call for: tell whose the other end is, and hand a file over.</summary>
internal static partial class PeerSocket
{
    // linux/socket.h
    private const int SocketLevel = 1;
    private const int PeerCredentials = 17;
    private const int Rights = 1;
    private const int NoSignal = 0x4000;

    /// <summary>Whether the program at the other end runs as this one's user, or as root.</summary>
    public static bool IsOwn(Socket socket)
    {
        Span<byte> credentials = stackalloc byte[12];
        socket.GetRawSocketOption(SocketLevel, PeerCredentials, credentials);
        var user = MemoryMarshal.Cast<byte, uint>(credentials)[1];
        return user == 0 || user == EffectiveUser();
    }

    /// <summary>Sends bytes with a file, which the other end gets as a descriptor of its own.</summary>
    /// <exception cref="PeerGoneException">The connection is gone.</exception>
    public static unsafe void SendFile(Socket socket, ReadOnlySpan<byte> bytes, SafeHandle file)
    {
        var isHeld = false;
        file.DangerousAddRef(ref isHeld);
        try
        {
            var control = new FileControl
            {
                Length = (nuint)(sizeof(nuint) + (3 * sizeof(int))),
                Level = SocketLevel,
                Type = Rights,
                File = (int)file.DangerousGetHandle(),
            };
            fixed (byte* start = bytes)
            {
                var vector = new Vector { Start = (nint)start, Length = (nuint)bytes.Length };
                var message = new Message
                {
                    Vectors = (nint)(&vector),
                    VectorCount = 1,
                    Control = (nint)(&control),
                    ControlLength = (nuint)sizeof(FileControl),
                };
                if (Send(socket.SafeHandle, &message, NoSignal) != bytes.Length)
                {
                    throw new PeerGoneException(new Win32Exception(Marshal.GetLastPInvokeError()));
                }
            }
        }
        finally
        {
            if (isHeld)
            {
                file.DangerousRelease();
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "geteuid")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial uint EffectiveUser();

    [LibraryImport("libc", EntryPoint = "sendmsg", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static unsafe partial nint Send(SafeHandle socket, Message* message, int flags);

    // struct iovec, msghdr and cmsghdr of 64-bit Linux.
    [StructLayout(LayoutKind.Sequential)]
    private struct Vector
    {
        public nint Start;
        public nuint Length;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct Message
    {
        public nint Name;
        public uint NameLength;
        public nint Vectors;
        public nuint VectorCount;
        public nint Control;
        public nuint ControlLength;
        public int Flags;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct FileControl
    {
        public nuint Length;
        public int Level;
        public int Type;
        public int File;
        private readonly int _padding;
    }
}
