#include <malloc.h>  // not in Swift's Glibc module
