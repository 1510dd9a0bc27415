using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Bench;

/// <summary>
/// Counts what this process's TCP connections have sent, by what the system keeps of each (Linux: <c>TCP_INFO</c>, see
/// tcp(7) and linux/tcp.h): the only count that has the framing and the transport's own compression in it, whatever
/// library sends and receives.
/// </summary>
internal static class WireMeter
{
    private const string Descriptors = "/proc/self/fd";
    private const int Tcp = 6;
    private const int TcpInfo = 11;

    // struct tcp_info: 8 bytes of flags, 24 numbers of 4 bytes, then pacing_rate, max_pacing_rate and bytes_acked.
    private const int AckedAt = 8 + (24 * 4) + (2 * 8);
    private const int Inet = 2;
    private const int Inet6 = 10;

    /// <summary>Payload bytes that the peers' systems have acknowledged, over all open connections.</summary>
    public static long? SentBytes(IReadOnlyCollection<int> ports)
    {
        if (!OperatingSystem.IsLinux() || ports.Count == 0)
        {
            return null;
        }

        long sum = 0;
        var address = new byte[128];
        var info = new byte[256];
        foreach (var path in Directory.EnumerateFiles(Descriptors))
        {
            var descriptor = int.Parse(Path.GetFileName(path), CultureInfo.InvariantCulture);
            var length = address.Length;
            if (Name(descriptor, address, ref length) == 0
                && BitConverter.ToUInt16(address) is Inet or Inet6
                && ports.Contains(BinaryPrimitives.ReadUInt16BigEndian(address.AsSpan(2))))
            {
                length = info.Length;
                if (Option(descriptor, Tcp, TcpInfo, info, ref length) == 0 && length >= AckedAt + sizeof(long))
                {
                    sum += BitConverter.ToInt64(info, AckedAt);
                }
            }
        }

        return sum;
    }

    [DllImport("libc", EntryPoint = "getsockname", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Name(int socket, [Out] byte[] address, ref int length);

    [DllImport("libc", EntryPoint = "getsockopt", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Option(int socket, int level, int name, [Out] byte[] value, ref int length);
}
